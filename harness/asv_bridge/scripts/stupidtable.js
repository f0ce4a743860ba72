/* Tables that are sorted by a click on a head of theirs, as asv's lists use them: heads say how in data-sort, cells may
 * say by what in data-sort-value, and who listens is told in the event aftertablesort. */
(function ($) {
  "use strict";

  var known = {
    string: function (one, other) {
      return one.localeCompare(other);
    },
    float: function (one, other) {
      return parseFloat(one) - parseFloat(other);
    }
  };

  function key(cell) {
    var given = cell.attr("data-sort-value");
    return given === undefined ? cell.text().trim() : given;
  }

  function sort(head, direction) {
    var table = head.closest("table"), body = table.children("tbody"), column = head.index();
    var compare = (table.data("orders") || known)[head.data("sort")];
    if (!compare) {
      return;
    }
    var rows = body.children("tr").get().map(function (row) {
      return {row: row, key: key($(row).children().eq(column))};
    });
    rows.sort(function (one, other) {
      return (direction === "desc" ? -1 : 1) * compare(one.key, other.key);
    });
    body.append(rows.map(function (each) { return each.row; }));
    table.find("thead th").removeData("direction");
    head.data("direction", direction);
    table.trigger("aftertablesort", {column: column, direction: direction});
  }

  $.fn.stupidtable = function (orders) {
    return this.each(function () {
      $(this).data("orders", $.extend({}, known, orders)).on("click", "thead th", function () {
        sort($(this), $(this).data("direction") === "asc" ? "desc" : "asc");
      });
    });
  };

  $.fn.stupidsort = function (direction) {
    return this.each(function () {
      sort($(this), direction || "asc");
    });
  };
})(jQuery);
