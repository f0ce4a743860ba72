/* asv's list of regressions makes keys of what it is told to ignore: any text that is the same for the same does. */
window.md5 = function (text) {
  "use strict";
  return text;
};
