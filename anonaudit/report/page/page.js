"use strict";
// Sorts a table by a column when its header is clicked.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const first = (cell) => {
    const found = /^-?[0-9][0-9,]*(\.[0-9]+)?/.exec(cell);
    return found ? Number(found[0].replaceAll(",", "")) : NaN;
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = (row) => row.cells[column].textContent;
      const numbers = head.classList.contains("number");
      const order = (a, b) =>
        numbers ? first(text(a)) - first(text(b)) : text(a).localeCompare(text(b), "en", { numeric: true });
      const rows = Array.from(body.rows).sort((a, b) => (down ? order(b, a) : order(a, b)));
      body.append(...rows);
    });
  });
}
