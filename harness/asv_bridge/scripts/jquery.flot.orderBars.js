/* Bars of several series side by side, those with the least bars.order first, around the place that they share. */
(function ($) {
  "use strict";

  function aside(plot, series, datapoints) {
    if (!series.bars || !series.bars.show || series.bars.order === undefined || series.bars.order === null) {
      return;
    }
    var orders = plot.getData().filter(function (each) {
      return each.bars.order !== undefined && each.bars.order !== null;
    }).map(function (each) {
      return each.bars.order;
    }).sort(function (one, other) {
      return one - other;
    });
    var offset = (orders.indexOf(series.bars.order) - (orders.length - 1) / 2) * series.bars.barWidth;
    for (var place = 0; place < datapoints.points.length; place += datapoints.pointsize) {
      if (datapoints.points[place] !== null) {
        datapoints.points[place] += offset;
      }
    }
  }

  $.plot.plugins.push({
    init: function (plot) {
      plot.hooks.processDatapoints.push(aside);
    },
    options: {},
    name: "orderBars",
    version: "1"
  });
})(jQuery);
