# Prints entries for apt, in its deb822 form, that this machine lacks, made from the entries it has:
# same addresses, same keys, other suites or components. Reads sources.list files in the one-line
# form and *.sources files. Variables, from the environment:
#   archives  lines "ADDRESS RELEASE CODENAME": what of the machine's entries is the distribution's
#             own archive, its component main (tools/setup asks apt)
#   codename  of the distribution's release
#   binary    "SUITE COMPONENT" to add, made from the entry of the release itself; "" for none
#   source    1: add the source packages of all entries
# Fields other than Types, URIs, Suites, Components and Enabled (Signed-By with a whole key in it,
# Architectures, ...) are kept as they are.
function trim(text) {
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}
function has_word(text, word) {
	return index(" " text " ", " " word " ") > 0
}
function emit(types, uri, suite, component,    stanza) {
	stanza = "Types: " types "\nURIs: " uri "\nSuites: " suite "\nComponents: " component "\n" others
	if (stanza in emitted)
		return
	emitted[stanza] = 1
	printf "\n%s", stanza
}
function with_slash(uri) {
	return uri ~ /\/$/ ? uri : uri "/"
}
function entry(    i, j, n, m, uri, suite, key, part) {
	if (has_word(field["types"], "deb") && has_word(field["components"], "main") &&
	    tolower(field["enabled"]) !~ /^(no|false|off|0|without|disable)$/) {
		n = split(field["uris"], uri, /[ \t\n]+/)
		m = split(field["suites"], suite, /[ \t\n]+/)
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++) {
				key = with_slash(uri[i]) " " suite[j]
				if (!(key in codename_of))
					continue
				if (binary != "" && codename_of[key] == codename) {
					split(binary, part, " ")
					emit("deb", uri[i], part[1] == "." ? suite[j] : part[1], part[2])
				}
				if (source)
					emit("deb-src", uri[i], suite[j], "main")
			}
	}
	split("", field)
	others = ""
	name = ""
}
BEGIN {
	codename = ENVIRON["codename"]
	binary = ENVIRON["binary"]
	source = ENVIRON["source"] + 0
	count = split(ENVIRON["archives"], row, "\n")
	for (k = 1; k <= count; k++)
		if (split(row[k], word, " ") == 3)
			codename_of[with_slash(word[1]) " " word[2]] = word[3]
}
FNR == 1 { entry() }
/^[ \t]*#/ { next }
FILENAME !~ /\.sources$/ {
	line = $0
	sub(/[ \t]#.*/, "", line)
	if (line !~ /^[ \t]*deb[ \t]/ || line ~ /cdrom:/)
		next
	sub(/^[ \t]*deb[ \t]+/, "", line)
	options = ""
	if (line ~ /^\[/) {
		options = substr(line, 2, index(line, "]") - 2)
		line = trim(substr(line, index(line, "]") + 1))
	}
	n = split(line, word, /[ \t]+/)
	field["types"] = "deb"
	field["uris"] = word[1]
	field["suites"] = word[2]
	for (k = 3; k <= n; k++)
		field["components"] = field["components"] " " word[k]
	n = split(trim(options), word, /[ \t]+/)
	for (k = 1; k <= n; k++) {
		at = index(word[k], "=")
		option = substr(word[k], 1, at - 1)
		value = substr(word[k], at + 1)
		# Lists are separated by commas here and by spaces there; three names differ.
		gsub(/,/, " ", value)
		if (option == "arch" || option == "lang" || option == "target")
			option = option == "arch" ? "Architectures" : option == "lang" ? "Languages" : "Targets"
		others = others option ": " value "\n"
	}
	entry()
	next
}
/^[ \t]*$/ { entry(); next }
/^[ \t]/ {
	if (name in field)
		field[name] = field[name] " " trim($0)
	else if (name != "")
		others = others $0 "\n"
	next
}
{
	name = tolower(substr($0, 1, index($0, ":") - 1))
	value = trim(substr($0, index($0, ":") + 1))
	if (name ~ /^(types|uris|suites|components|enabled)$/)
		field[name] = value
	else
		others = others $0 "\n"
}
END { entry() }
