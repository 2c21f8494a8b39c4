# Reads clang's -ast-dump of one file of plumb-zfsd and prints what its code takes for granted about
# structures of the OpenZFS headers: "member TYPE NAME", "type TYPE", "object NAME". -v headers= is a
# pattern of the folders of these headers. Members that inline functions of the headers use count where
# such a function is called; what the layout's own assertions name does not.
{
	# clang names a file only where it differs from the place before.
	rest = $0
	while (match(rest, /[<, ][^<>, :']*[^<>, :'0-9][^<>, :']*:[0-9]+:[0-9]+/)) {
		place = substr(rest, RSTART + 1, RLENGTH - 1)
		rest = substr(rest, RSTART + RLENGTH)
		if (place ~ /^(line|col):/)
			continue
		sub(/:[0-9]+:[0-9]+$/, "", place)
		file = place
	}
	match($0, /[A-Za-z<]/)
	depth = RSTART
	kind = $0
	sub(/^[^A-Za-z<]*/, "", kind)
	sub(/ .*/, "", kind)
	address = match($0, /0x[0-9a-f]+/) ? substr($0, RSTART, RLENGTH) : ""
}

depth <= 3 {
	in_function = kind == "FunctionDecl" && (file !~ /^\// || file ~ /\/src\/zfsd\// || / used /)
	ours = file !~ /^\/usr\//
	if (file ~ /zfsd_layout\.h$/)
		in_function = 0
}

kind == "RecordDecl" && / definition/ {
	while (top > 0 && record_depth[top] >= depth)
		top--
	record[++top] = address
	record_depth[top] = depth
	record_from[top] = file ~ headers
	tag = $0
	sub(/.* (struct|union)/, "", tag)
	sub(/ definition.*/, "", tag)
	gsub(/ /, "", tag)
	record_tag[address] = tag
	if (tag == "" && top > 1)
		record_outer[address] = record[top - 1]
	ended = ""
	next
}

# "typedef struct tag name", and structures that have no other name than the typedef's.
kind == "TypedefDecl" {
	typedef_name = ""
	if (file ~ headers && match($0, /[A-Za-z_0-9]+ '(const )?(struct |union )?[A-Za-z_0-9]+':'[^']*'$/)) {
		split(substr($0, RSTART), words, "'")
		typedef_name = words[1]
		sub(/ $/, "", typedef_name)
		tag = words[4]
		sub(/^const /, "", tag)
		if (sub(/^(struct|union) /, "", tag) && !(tag in type_name))
			type_name[tag] = typedef_name
		known[typedef_name] = 1
	}
	next
}
kind == "Record" && typedef_name != "" && record_tag[address] == "" {
	record_tag[address] = typedef_name
	typedef_name = ""
	next
}

# A structure without a name inside another: its members are reached through the field that follows it.
kind == "FieldDecl" {
	while (top > 0 && record_depth[top] > depth)
		top--
	ended = top > 0 && record_depth[top] == depth ? record[top--] : ""
	if (top == 0)
		next
	name = $0
	sub(/ '.*/, "", name)
	name = $0 ~ / implicit / ? "" : substr(name, match(name, /[^ ]+$/))
	if (ended in record_outer)
		record_field[ended] = name
	if (!record_from[top]) {
		if (file !~ /^\/usr\//)
			used_type[type_of($0)] = 1
		next
	}
	field_name[address] = name
	field_record[address] = record[top]
	last_field = address
	last_field_depth = depth
	next
}
# The width of a bit field, which has no place of its own.
last_field != "" {
	if (depth > last_field_depth && kind == "ConstantExpr")
		delete field_name[last_field]
	last_field = ""
}

# "{ .a = 1 }": all members of the type, for clang does not say which.
list_depth && depth == list_depth + 2 && kind != "ImplicitValueInitExpr" && kind != "array_filler:" {
	if (in_list)
		filled_type[list_type] = 1
}
depth <= list_depth { list_depth = 0 }
kind == "InitListExpr" {
	list_depth = depth
	list_type = type_of($0)
	in_list = in_function || ours
}

kind == "MemberExpr" && in_function {
	count = split($0, words, " ")
	if (words[count] in field_name)
		used_member[words[count]] = 1
	next
}

function type_of(line,    words, count, type)
{
	if (!match(line, /'[^']*'(:'[^']*')?/))
		return ""
	type = substr(line, RSTART + 1, RLENGTH - 2)
	sub(/':'.*/, "", type)
	sub(/^(const|volatile) /, "", type)
	sub(/ *\[[^]]*\]$/, "", type)
	return type ~ /[*(]/ ? "" : type
}

in_function && (kind == "ArraySubscriptExpr" || kind == "CompoundLiteralExpr" ||
		(kind == "ImplicitCastExpr" && /<LValueToRValue>/) || kind == "InitListExpr") {
	used_type[type_of($0)] = 1
}
kind == "VarDecl" && (in_function || (depth <= 3 && ours)) { used_type[type_of($0)] = 1 }
kind == "UnaryExprOrTypeTraitExpr" && in_function && / sizeof / {
	type = $0
	sub(/.* sizeof /, "", type)
	used_type[type_of(type)] = 1
}
depth <= 3 && kind == "VarDecl" && file ~ headers {
	name = $0
	sub(/ '.*/, "", name)
	sub(/.* /, "", name)
	global[address] = name
}
kind == "DeclRefExpr" && in_function && match($0, / Var 0x[0-9a-f]+/) {
	address = substr($0, RSTART + 5, RLENGTH - 5)
	if (address in global)
		print "object " global[address]
}

END {
	for (address in used_member) {
		name = field_name[address]
		at = field_record[address]
		for (; at in record_outer; at = record_outer[at])
			name = (record_field[at] == "" ? "" : record_field[at] ".") name
		tag = record_tag[at]
		if (name != "" && name !~ /\.$/)
			print "member", tag in type_name ? type_name[tag] : tag in known ? tag : "struct " tag, name
	}
	for (address in field_name) {
		tag = record_tag[field_record[address]]
		type = tag in type_name ? type_name[tag] : tag
		if (((type in filled_type) || (("struct " tag) in filled_type)) && (type in known))
			print "member", type, field_name[address]
	}
	for (type in used_type) {
		tag = type
		if (sub(/^struct /, "", tag) && (tag in type_name))
			type = type_name[tag]
		if (type in known)
			print "type " type
	}
}
