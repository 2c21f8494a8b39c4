/* Word lists (see analytic_words.h). Changing one changes every checksum. */
#include "workload/analytic/analytic_words.h"

#define W(text)                           \
	{                                 \
		text, sizeof(text "") - 1 \
	}

const struct analytic_word analytic_countries[ANALYTIC_COUNTRIES] = { W("AT"), W("BE"), W("BG"),
	W("CH"), W("CZ"), W("DE"), W("DK"), W("EE"), W("ES"), W("FI"), W("FR"), W("GR"), W("HR"),
	W("HU"), W("IE"), W("IT"), W("LT"), W("LV"), W("NL"), W("NO"), W("PL"), W("PT"), W("SE"),
	W("SK") };

const struct analytic_word analytic_modes[ANALYTIC_MODES] = { W("bicycle"), W("van"), W("lorry"),
	W("train"), W("barge"), W("plane") };

const struct analytic_word analytic_trades[ANALYTIC_TRADES] = { W("bakery"), W("bookshop"),
	W("brewery"), W("dentist"), W("florist"), W("foundry"), W("garage"), W("laboratory"),
	W("pharmacy"), W("printer"), W("tailor"), W("workshop") };

const struct analytic_word analytic_families[ANALYTIC_FAMILIES] = { W("bearing"), W("belt"),
	W("bolt"), W("book"), W("bottle"), W("brush"), W("cable"), W("candle"), W("chair"),
	W("cloth"), W("filter"), W("glove"), W("hinge"), W("kettle"), W("lamp"), W("lens"),
	W("motor"), W("paper"), W("pump"), W("resistor"), W("saddle"), W("seed"), W("spring"),
	W("tile"), W("valve") };

const struct analytic_word analytic_brands[ANALYTIC_BRANDS] = { W("Albor"), W("Anvik"), W("Belmar"),
	W("Brenta"), W("Calder"), W("Corvo"), W("Dalen"), W("Dorsa"), W("Elbrin"), W("Estval"),
	W("Fardo"), W("Fjelm"), W("Garda"), W("Gronte"), W("Hadal"), W("Hestor"), W("Ilmar"),
	W("Iskra"), W("Jorvik"), W("Juna"), W("Kalmo"), W("Kestrel"), W("Lorne"), W("Lumen"),
	W("Marin"), W("Mosel"), W("Narvo"), W("Nessel"), W("Ostra"), W("Orfeo"), W("Palto"),
	W("Prado"), W("Quill"), W("Rhone"), W("Rosta"), W("Savin"), W("Tarn"), W("Ulven"),
	W("Varda"), W("Wexel") };

const struct analytic_word analytic_channels[ANALYTIC_CHANNELS] = { W("counter"), W("letter"),
	W("phone"), W("web"), W("wire") };

const struct analytic_word analytic_syllables[ANALYTIC_SYLLABLES] = { W("al"), W("ber"), W("cor"),
	W("dan"), W("el"), W("fen"), W("gar"), W("hol"), W("in"), W("jas"), W("kel"), W("lor"),
	W("mar"), W("nor"), W("or"), W("pel"), W("qua"), W("ros"), W("sten"), W("tor"), W("ul"),
	W("vel"), W("wen"), W("xan"), W("yor"), W("zel"), W("bri"), W("dro"), W("fla"), W("gre"),
	W("sho"), W("tru") };

const struct analytic_word analytic_remarks[ANALYTIC_REMARKS] = { W("again "), W("alarm "),
	W("amber "), W("arrives "), W("awkward "), W("back "), W("before "), W("bell "), W("bent "),
	W("blue "), W("box "), W("bridge "), W("call "), W("careful "), W("cellar "), W("cold "),
	W("corner "), W("customs "), W("damp "), W("dog "), W("door "), W("empty "), W("fragile "),
	W("gate "), W("glass "), W("green "), W("heavy "), W("hold "), W("iron "), W("keep "),
	W("key "), W("label "), W("ladder "), W("left "), W("lift "), W("light "), W("loose "),
	W("morning "), W("narrow "), W("neighbour "), W("never "), W("night "), W("noon "),
	W("on "), W("opened "), W("paper "), W("pier "), W("porch "), W("quick "), W("rain "),
	W("red "), W("ring "), W("round "), W("seal "), W("second "), W("shed "), W("slow "),
	W("stairs "), W("tilted "), W("torn "), W("twice "), W("wet "), W("yard "), W("yellow ") };

const struct analytic_word analytic_outcomes[ANALYTIC_OUTCOMES] = {
	[ANALYTIC_DELIVERED] = W("delivered"),
	[ANALYTIC_LATE] = W("late"),
	[ANALYTIC_RETURNED] = W("returned"),
	[ANALYTIC_LOST] = W("lost"),
	[ANALYTIC_UNDERWAY] = W("underway"),
};
