// Lines of values as CSV, without cells that a spreadsheet would run as a formula. The rule is the same
// as in wsd/storage/csv.py, which explains it; tests/helpers/formula_cells.py tests both.
"use strict";

wsd.csv = (lines) => {
  const FORMULA = /^'*(?:[\t\n\r\0]|[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])/;
  const cell = (value) => {
    const text = String(value);
    const guarded = typeof value === "string" && FORMULA.test(text) && text !== "-" ? `'${text}` : text;
    return `"${guarded.replaceAll('"', '""')}"`;
  };
  return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
};
