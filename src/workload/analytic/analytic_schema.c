/* Tables, keys and indexes of the analytic data set (see analytic_schema.h). */
#include "workload/analytic/analytic_schema.h"

#include "base/macros.h"

const struct analytic_table analytic_tables[ANALYTIC_TABLES] = {
	[ANALYTIC_DEPOT] = {
		.name = "depot",
		.columns = "depot_id int NOT NULL, zone smallint NOT NULL, country text NOT NULL, "
			   "capacity int NOT NULL, opened date NOT NULL, name text NOT NULL",
		.fixed_rows = 400,
		.bytes_per_row = 80,
		.primary_key = "ALTER TABLE depot ADD PRIMARY KEY (depot_id)",
	},
	[ANALYTIC_CARRIER] = {
		.name = "carrier",
		.columns = "carrier_id int NOT NULL, depot_id int NOT NULL, rating smallint NOT NULL, "
			   "mode text NOT NULL, name text NOT NULL, remark text NOT NULL",
		.fixed_rows = 20,
		.rows_per_scale = 8000,
		.bytes_per_row = 110,
		.primary_key = "ALTER TABLE carrier ADD PRIMARY KEY (carrier_id)",
	},
	[ANALYTIC_ARTICLE] = {
		.name = "article",
		.columns = "article_id int NOT NULL, weight_g int NOT NULL, grade smallint NOT NULL, "
			   "price numeric(12,2) NOT NULL, family text NOT NULL, brand text NOT NULL, "
			   "label text NOT NULL",
		.fixed_rows = 100,
		.rows_per_scale = 120000,
		.bytes_per_row = 100,
		.primary_key = "ALTER TABLE article ADD PRIMARY KEY (article_id)",
	},
	[ANALYTIC_SENDER] = {
		.name = "sender",
		.columns = "sender_id int NOT NULL, depot_id int NOT NULL, joined date NOT NULL, "
			   "credit numeric(12,2) NOT NULL, trade text NOT NULL, name text NOT NULL, "
			   "remark text NOT NULL",
		.fixed_rows = 100,
		.rows_per_scale = 200000,
		.bytes_per_row = 130,
		.primary_key = "ALTER TABLE sender ADD PRIMARY KEY (sender_id)",
	},
	[ANALYTIC_SHIPMENT] = {
		.name = "shipment",
		.columns = "shipment_id bigint NOT NULL, sender_id int NOT NULL, booked date NOT NULL, "
			   "urgency smallint NOT NULL, parcels smallint NOT NULL, "
			   "total numeric(14,2) NOT NULL, channel text NOT NULL, remark text NOT NULL",
		.fixed_rows = 200,
		.rows_per_scale = 1000000,
		.bytes_per_row = 115,
		.primary_key = "ALTER TABLE shipment ADD PRIMARY KEY (shipment_id)",
	},
	[ANALYTIC_PARCEL] = {
		.name = "parcel",
		.columns = "shipment_id bigint NOT NULL, line smallint NOT NULL, article_id int NOT NULL, "
			   "carrier_id int NOT NULL, depot_id int NOT NULL, quantity int NOT NULL, "
			   "amount numeric(12,2) NOT NULL, rebate smallint NOT NULL, sent date NOT NULL, "
			   "due date NOT NULL, received date, outcome text NOT NULL, remark text NOT NULL",
		.fixed_rows = 200,
		.rows_per_scale = 1000000,
		.bytes_per_row = 625, /* of a shipment: 4.875 parcels on average */
		.primary_key = "ALTER TABLE parcel ADD PRIMARY KEY (shipment_id, line)",
	},
};

const char *const analytic_foreign_keys[] = {
	"ALTER TABLE carrier ADD FOREIGN KEY (depot_id) REFERENCES depot",
	"ALTER TABLE sender ADD FOREIGN KEY (depot_id) REFERENCES depot",
	"ALTER TABLE shipment ADD FOREIGN KEY (sender_id) REFERENCES sender",
	"ALTER TABLE parcel ADD FOREIGN KEY (shipment_id) REFERENCES shipment",
	"ALTER TABLE parcel ADD FOREIGN KEY (article_id) REFERENCES article",
	"ALTER TABLE parcel ADD FOREIGN KEY (carrier_id) REFERENCES carrier",
	"ALTER TABLE parcel ADD FOREIGN KEY (depot_id) REFERENCES depot",
	NULL,
};

const char *const analytic_indexes[] = {
	"CREATE INDEX shipment_booked ON shipment (booked)",
	"CREATE INDEX shipment_sender ON shipment (sender_id)",
	"CREATE INDEX parcel_article ON parcel (article_id)",
	"CREATE INDEX parcel_carrier_sent ON parcel (carrier_id, sent)",
	"CREATE INDEX parcel_late ON parcel (due) WHERE outcome = 'late'",
	"CREATE INDEX sender_depot ON sender (depot_id)",
	"CREATE INDEX article_family ON article (family, grade)",
	NULL,
};

uint64_t analytic_units(enum analytic_table_id table, double scale)
{
	const struct analytic_table *row = &analytic_tables[table];

	return row->fixed_rows + (uint64_t)((double)row->rows_per_scale * scale);
}

uint64_t analytic_database_bytes(double scale)
{
	uint64_t heap = 0;

	for (int table = 0; table < ANALYTIC_TABLES; table++)
		heap += analytic_units(table, scale) * analytic_tables[table].bytes_per_row;
	return heap + heap * 2 / 5 + (16 << 20); /* indexes; an empty database */
}
