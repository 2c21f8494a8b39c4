/* The queries (see analytic_queries.h). */
#include "workload/analytic/analytic_queries.h"

#include <string.h>

const struct analytic_query analytic_queries[ANALYTIC_QUERIES] = {
	{ "q01", "scan, few groups",
		"SELECT outcome, rebate, count(*), sum(quantity), sum(amount), "
		"round(avg(amount), 2) "
		"FROM parcel WHERE sent < DATE '2024-06-01' "
		"GROUP BY outcome, rebate ORDER BY outcome, rebate" },
	{ "q02", "scan, selective filter",
		"SELECT round(sum(amount * rebate) / 100, 2), count(*) FROM parcel "
		"WHERE sent >= DATE '2019-01-01' AND sent < DATE '2020-01-01' "
		"AND rebate BETWEEN 3 AND 6 AND quantity < 20" },
	{ "q03", "three-way join, top n",
		"SELECT s.shipment_id, s.booked, sum(p.amount) AS worth "
		"FROM sender c JOIN shipment s ON s.sender_id = c.sender_id "
		"JOIN parcel p ON p.shipment_id = s.shipment_id "
		"WHERE c.trade = 'pharmacy' "
		"AND s.booked BETWEEN DATE '2018-03-01' AND DATE '2018-05-31' "
		"GROUP BY s.shipment_id, s.booked ORDER BY worth DESC, s.shipment_id LIMIT 20" },
	{ "q04", "semi-join",
		"SELECT urgency, count(*) FROM shipment s "
		"WHERE booked >= DATE '2021-04-01' AND booked < DATE '2021-07-01' "
		"AND EXISTS (SELECT FROM parcel p WHERE p.shipment_id = s.shipment_id "
		"AND p.outcome = 'late') GROUP BY urgency ORDER BY urgency" },
	{ "q05", "six-way join",
		"SELECT home.country, a.family, sum(p.amount), count(*) "
		"FROM parcel p JOIN shipment s ON s.shipment_id = p.shipment_id "
		"JOIN sender c ON c.sender_id = s.sender_id "
		"JOIN depot home ON home.depot_id = c.depot_id "
		"JOIN depot goal ON goal.depot_id = p.depot_id "
		"JOIN article a ON a.article_id = p.article_id "
		"WHERE home.country = goal.country AND home.zone = 2 AND a.grade >= 6 "
		"GROUP BY home.country, a.family ORDER BY home.country, a.family" },
	{ "q06", "anti-join",
		"SELECT trade, count(*), sum(credit) FROM sender c "
		"WHERE NOT EXISTS (SELECT FROM shipment s WHERE s.sender_id = c.sender_id "
		"AND s.booked >= DATE '2020-01-01' AND s.booked < DATE '2021-01-01') "
		"GROUP BY trade ORDER BY trade" },
	{ "q07", "correlated subquery",
		"SELECT count(*), sum(p.amount) FROM parcel p "
		"JOIN article a ON a.article_id = p.article_id "
		"WHERE a.family = 'valve' AND a.grade = 9 AND p.quantity < "
		"(SELECT avg(x.quantity) * 3 / 10 FROM parcel x "
		"WHERE x.article_id = p.article_id)" },
	{ "q08", "many groups, top n",
		"SELECT sender_id, count(*), sum(total) AS worth, max(booked) FROM shipment "
		"GROUP BY sender_id ORDER BY worth DESC, sender_id LIMIT 100" },
	{ "q09", "sort larger than memory",
		"SELECT max(place), count(*) FROM (SELECT rank() OVER "
		"(ORDER BY amount DESC, remark) AS place FROM parcel) ranked" },
	{ "q10", "window over groups",
		"SELECT zone, month, worth, sum(worth) OVER (PARTITION BY zone ORDER BY month "
		"ROWS 2 PRECEDING), sum(worth) OVER (PARTITION BY zone ORDER BY month) "
		"FROM (SELECT d.zone, date_trunc('month', s.booked::timestamp)::date AS month, "
		"sum(s.total) AS worth FROM shipment s "
		"JOIN sender c ON c.sender_id = s.sender_id "
		"JOIN depot d ON d.depot_id = c.depot_id GROUP BY 1, 2) monthly "
		"ORDER BY zone, month" },
	{ "q11", "rollup",
		"SELECT d.zone, d.country, k.mode, count(*), sum(p.amount) FROM parcel p "
		"JOIN carrier k ON k.carrier_id = p.carrier_id "
		"JOIN depot d ON d.depot_id = p.depot_id "
		"WHERE p.sent >= DATE '2023-01-01' "
		"GROUP BY ROLLUP (d.zone, d.country, k.mode) "
		"ORDER BY d.zone NULLS LAST, d.country NULLS LAST, k.mode NULLS LAST" },
	{ "q12", "distinct counts",
		"SELECT k.mode, extract(year FROM p.sent)::int AS year, "
		"count(DISTINCT p.article_id), count(DISTINCT p.shipment_id) FROM parcel p "
		"JOIN carrier k ON k.carrier_id = p.carrier_id "
		"WHERE p.sent >= DATE '2020-01-01' GROUP BY 1, 2 ORDER BY 1, 2" },
	{ "q13", "text match",
		"SELECT s.channel, count(*), sum(p.quantity) FROM parcel p "
		"JOIN shipment s ON s.shipment_id = p.shipment_id "
		"WHERE p.remark LIKE '%fragile%glass%' OR p.remark LIKE '%torn box%' "
		"GROUP BY s.channel ORDER BY s.channel" },
	{ "q14", "partial index, join",
		"SELECT k.name, count(*) AS late, sum(p.amount) FROM parcel p "
		"JOIN carrier k ON k.carrier_id = p.carrier_id "
		"WHERE p.outcome = 'late' AND p.due >= DATE '2022-11-07' "
		"AND p.due < DATE '2022-11-14' "
		"GROUP BY k.carrier_id, k.name ORDER BY late DESC, k.carrier_id LIMIT 25" },
	{ "q15", "index range, nested loop",
		"SELECT a.family, count(*), sum(p.amount) FROM carrier k "
		"JOIN parcel p ON p.carrier_id = k.carrier_id "
		"AND p.sent >= DATE '2017-05-01' AND p.sent < DATE '2017-06-01' "
		"JOIN article a ON a.article_id = p.article_id "
		"WHERE k.carrier_id BETWEEN 3 AND 12 GROUP BY a.family ORDER BY a.family" },
	{ "q16", "self-join",
		"SELECT one.brand, other.brand, count(*) AS pairs FROM parcel p "
		"JOIN parcel q ON q.shipment_id = p.shipment_id AND q.line > p.line "
		"JOIN article one ON one.article_id = p.article_id "
		"JOIN article other ON other.article_id = q.article_id "
		"WHERE one.family = 'lens' AND other.family = 'lamp' "
		"GROUP BY one.brand, other.brand ORDER BY pairs DESC, one.brand, other.brand "
		"LIMIT 50" },
	{ "q17", "outer join, groups of groups",
		"SELECT shipments, count(*) FROM (SELECT c.sender_id, count(s.shipment_id) AS "
		"shipments FROM sender c LEFT JOIN shipment s ON s.sender_id = c.sender_id "
		"AND s.channel <> 'letter' GROUP BY c.sender_id) each_sender "
		"GROUP BY shipments ORDER BY shipments" },
	{ "q18", "having, membership",
		"SELECT c.trade, s.shipment_id, s.booked, s.total FROM shipment s "
		"JOIN sender c ON c.sender_id = s.sender_id WHERE s.shipment_id IN "
		"(SELECT shipment_id FROM parcel GROUP BY shipment_id HAVING sum(quantity) > 330) "
		"ORDER BY s.total DESC, s.shipment_id LIMIT 100" },
	{ "q19", "ordered-set aggregate",
		"SELECT k.mode, percentile_disc(0.5) WITHIN GROUP (ORDER BY p.received - p.sent), "
		"percentile_disc(0.99) WITHIN GROUP (ORDER BY p.received - p.sent), count(*) "
		"FROM parcel p JOIN carrier k ON k.carrier_id = p.carrier_id "
		"WHERE p.received IS NOT NULL GROUP BY k.mode ORDER BY k.mode" },
	{ "q20", "conditional sums",
		"SELECT s.urgency, k.mode, count(*) FILTER (WHERE p.outcome = 'late'), "
		"round(100.0 * count(*) FILTER (WHERE p.outcome = 'late') / count(*), 3), "
		"sum(CASE WHEN p.outcome = 'returned' THEN p.amount ELSE 0 END) "
		"FROM parcel p JOIN shipment s ON s.shipment_id = p.shipment_id "
		"JOIN carrier k ON k.carrier_id = p.carrier_id "
		"WHERE s.booked >= DATE '2022-01-01' GROUP BY s.urgency, k.mode "
		"ORDER BY s.urgency, k.mode" },
	{ "q21", "set operation",
		"SELECT a.family, count(*) FROM article a JOIN "
		"(SELECT article_id FROM parcel WHERE sent < DATE '2016-01-01' EXCEPT "
		"SELECT article_id FROM parcel WHERE sent >= DATE '2024-01-01') gone "
		"ON gone.article_id = a.article_id GROUP BY a.family ORDER BY a.family" },
	{ "q22", "common table expression, best of each",
		"WITH worth AS (SELECT d.country, p.carrier_id, sum(p.amount) AS amount "
		"FROM parcel p JOIN depot d ON d.depot_id = p.depot_id "
		"WHERE p.sent >= DATE '2024-01-01' AND p.sent < DATE '2024-04-01' "
		"GROUP BY d.country, p.carrier_id) "
		"SELECT w.country, k.name, w.amount FROM worth w "
		"JOIN (SELECT country, max(amount) AS amount FROM worth GROUP BY country) best "
		"ON best.country = w.country AND best.amount = w.amount "
		"JOIN carrier k ON k.carrier_id = w.carrier_id "
		"ORDER BY w.country, k.carrier_id" },
};

const struct analytic_query *analytic_query_find(const char *name, size_t length)
{
	for (size_t i = 0; i < ANALYTIC_QUERIES; i++)
		if (strlen(analytic_queries[i].name) == length &&
			strncmp(analytic_queries[i].name, name, length) == 0)
			return &analytic_queries[i];
	return NULL;
}
