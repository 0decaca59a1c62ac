// The extra columns of a corpus: text for each instance. A column with few values also gives colours, a
// key to them and a filter. Word pages and pages of uses share this script.
"use strict";

wsd.extraColumns = (packed = []) => {
  const { count, decode, heading, make } = wsd;
  const columns = packed.map(({ name, values, group, codes }) => {
    const numbers = decode(codes, values.length > 256 ? Uint32Array : Uint8Array);
    return { name, values, group, codes: numbers, at: (row) => values[numbers[row]] };
  });
  const groups = columns.filter(({ group }) => group);
  const LONGEST = 60; // characters of a value in keys and lists
  const nameOf = (value) => (value.length > LONGEST ? `${[...value].slice(0, LONGEST).join("")}…` : value.trim() || "(no value)");

  // The options of the selects are also the values in the address.
  const colours = new Map(groups.map((column) => [`column-${column.name}`, column]));
  const filters = new Map(groups.flatMap((column) => column.values.map((value, code) =>
    [[column.name, value].map(encodeURIComponent).join("="), { ...column, value, code }])));

  function addOptions(select, label, options) {
    const group = make("optgroup");
    group.label = label;
    group.append(...options);
    select.append(group);
  }

  // Add the columns to the select of colours, and the values to the select of the filter.
  function offer(colour, filter) {
    if (!groups.length) return;
    addOptions(colour, "extra columns", [...colours].map(([key, { name }]) => new Option(name, key)));
    for (const { name } of groups) {
      const own = [...filters].filter(([, column]) => column.name === name);
      addOptions(filter, name, own.map(([key, { value }]) => new Option(nameOf(value), key)));
    }
  }

  // Per value of a column, its name and the number of its instances among rows.
  const counts = ({ values, codes }, rows) => values.map((value, code) =>
    [nameOf(value), rows.filter((row) => codes[row] === code).length]);

  // The key to a column's colours, as entries of wsd.showKey; none for another option of the select.
  function entries(option) {
    const column = colours.get(option);
    if (!column) return [];
    const entry = (tones, name, rest) => {
      const text = make("span");
      text.append(make("bdi", name), rest);
      return [tones, text];
    };
    const values = counts(column, Array.from(column.codes.keys()));
    return [entry([], column.name, ":"), ...values.map(([name, n], code) => entry([`value-${code}`], name, ` (${count(n)})`))];
  }

  // The text of an instance, by column.
  const cells = (row) => Object.fromEntries(columns.map(({ name, at }) => [name, at(row)]));

  // The same as a table for its card, without empty cells.
  function table(row) {
    const filled = columns.filter(({ at }) => at(row).trim());
    if (!filled.length) return [];
    const shown = make("table", undefined, "figures lined extra"), body = make("tbody");
    for (const { name, at } of filled) {
      const line = make("tr"), cell = make("td");
      cell.append(make("bdi", at(row)));
      line.append(heading("row", make("bdi", name)), cell);
      body.append(line);
    }
    shown.append(body);
    return [make("h3", "Extra columns"), shown];
  }

  return {
    columns, groups, nameOf, offer, counts, entries, cells, table,
    // The column of an option of the select of colours; none for other options.
    coloured: (option) => colours.get(option),
    // The value of an instance in that column, for a line about the instance.
    note(option, row) {
      const column = colours.get(option);
      return column ? ` · ${column.name}: ${nameOf(column.at(row))}` : "";
    },
    // Whether an instance passes the option of the filter.
    passes(option, row) {
      const wanted = filters.get(option);
      return !wanted || wanted.codes[row] === wanted.code;
    },
  };
};

// Show the key to the colours of a plot. An entry has names of colours of the style sheet, and a text or
// an element.
wsd.showKey = (entries) => {
  const { byId, make } = wsd;
  const swatch = (tone) => {
    const element = make("i", undefined, "swatch");
    element.style.background = `var(--${tone})`;
    return element;
  };
  byId("tones").hidden = !entries.length;
  byId("tones").replaceChildren(...entries.map(([tones, text]) => {
    const entry = make("span");
    entry.append(...tones.map(swatch), tones.length ? " " : "", text);
    return entry;
  }));
};
