// What a figure's file says of itself besides the picture: title, description, recipe and date.
//
// Not for the recipe's content: that is JSON, written and read elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "app/page/figure.h"

namespace headlight {

// The name that a recipe goes by in every format.
inline constexpr std::string_view recipe_key = "Headlight";
inline constexpr std::string_view svg_recipe_begin = "<headlight:recipe xmlns:headlight=\"urn:headlight\">";
inline constexpr std::string_view svg_recipe_end = "</headlight:recipe>";
inline constexpr std::string_view pdf_recipe_begin = "Headlight: ";
inline constexpr std::string_view tex_begin =
    "% Made with Headlight: pdflatex, xelatex or lualatex make a PDF of it.\n";
inline constexpr std::string_view tex_recipe_begin = "% Recipe: ";

// "2026-11-21T12:00:00Z", for seconds since 1970; years are kept to four digits.
std::string iso_time(std::int64_t seconds);

// UTF-8 that any format can hold: broken bytes, controls and what is not a character become U+FFFD.
std::string sanitized(std::string_view utf8);
// JSON in which what sanitized() would replace in its texts is written as \uXXXX.
std::string json_of_characters(std::string_view json);

// Sound text with the five characters escaped that mean something in XML.
std::string xml_text(std::string_view utf8);

// A field of a row with commas, quoted where a comma, a quote or a line break asks for it (RFC 4180), and one of a row
// with tabs, in which tabs and line breaks become spaces.
std::string csv_field(std::string text);
std::string tsv_field(std::string text);

}  // namespace headlight
