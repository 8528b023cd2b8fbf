/**
 * What generated code has for dates: a clockless `Date` would still know the machine's time zone, hence functions of text
 * alone. JavaScript source, since it is evaluated inside the sandbox; the drafter is told the signatures.
 */

/** Name, signature and meaning, for the prompt. */
export const dateHelpers = {
  parseDate: 'parseDate(text): the first date in the text as "YYYY-MM-DD", or null; 03/04/2021 with both ≤ 12 is null',
  daysBetween: 'daysBetween(a, b): days from date a to date b, both "YYYY-MM-DD"; negative when b is earlier',
  addDays: 'addDays(date, days): the date so many days later as "YYYY-MM-DD"',
  weekday: 'weekday(date): 1 for Monday to 7 for Sunday',
} as const;

/** An expression whose value is an object of the helpers. */
export const dateHelperSource = `(function () {
  'use strict';
  const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
  const month = '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\\\.?';
  const forms = [
    [/(?<!\\d)(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?!\\d)/, (m) => [+m[1], +m[2], +m[3]]],
    [/(?<!\\d)(\\d{1,2})[/.-](\\d{1,2})[/.-](\\d{4})(?!\\d)/, (m) => +m[1] > 12 ? [+m[3], +m[2], +m[1]] : +m[2] > 12 || +m[1] === +m[2] ? [+m[3], +m[1], +m[2]] : null],
    [new RegExp('(?<!\\\\d)(\\\\d{1,2})(?:st|nd|rd|th)?(?: of)? ' + month + ',? (\\\\d{4})(?!\\\\d)', 'i'), (m) => [+m[3], named(m[2]), +m[1]]],
    [new RegExp('\\\\b' + month + ' (\\\\d{1,2})(?:st|nd|rd|th)?,? (\\\\d{4})(?!\\\\d)', 'i'), (m) => [+m[3], named(m[1]), +m[2]]],
  ];
  function named(name) { return months.indexOf(name.slice(0, 3).toLowerCase()) + 1; }
  function two(n) { return n < 10 ? '0' + n : '' + n; }
  function lengthOf(y, m) { return m === 2 ? (y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0) ? 29 : 28) : m === 4 || m === 6 || m === 9 || m === 11 ? 30 : 31; }
  function text(y, m, d) { return ('000' + y).slice(-4) + '-' + two(m) + '-' + two(d); }
  // Days since 1 March of the year 0, counted in years that begin in March (Howard Hinnant's public-domain method).
  function dayNumber(y, m, d) {
    const year = m > 2 ? y : y - 1;
    const era = Math.floor(year / 400);
    const ofEra = year - era * 400;
    const ofYear = Math.floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5) + d - 1;
    return era * 146097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear;
  }
  function dateOf(number) {
    const era = Math.floor(number / 146097);
    const ofEra = number - era * 146097;
    const year = Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36524) - Math.floor(ofEra / 146096)) / 365);
    const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
    const part = Math.floor((5 * ofYear + 2) / 153);
    const m = part < 10 ? part + 3 : part - 9;
    return text(year + era * 400 + (m <= 2 ? 1 : 0), m, ofYear - Math.floor((153 * part + 2) / 5) + 1);
  }
  function numberOf(date) {
    const m = /^(\\d{4})-(\\d{2})-(\\d{2})$/.exec(date);
    if (!m || +m[1] < 1 || +m[2] < 1 || +m[2] > 12 || +m[3] < 1 || +m[3] > lengthOf(+m[1], +m[2])) throw new TypeError(date + ' is not a date as YYYY-MM-DD');
    return dayNumber(+m[1], +m[2], +m[3]);
  }
  return {
    parseDate(value) {
      let best = null;
      let at = Infinity;
      for (const [form, read] of forms) {
        const m = form.exec(value);
        if (m === null || m.index >= at) continue;
        const parts = read(m);
        at = m.index;
        best = parts !== null && parts[0] > 0 && parts[1] >= 1 && parts[1] <= 12 && parts[2] >= 1 && parts[2] <= lengthOf(parts[0], parts[1]) ? text(parts[0], parts[1], parts[2]) : null;
      }
      return best;
    },
    daysBetween(a, b) { return numberOf(b) - numberOf(a); },
    addDays(date, days) {
      if (!Number.isSafeInteger(days) || Math.abs(days) > 4000000) throw new TypeError('days must be a whole number');
      return dateOf(numberOf(date) + days);
    },
    weekday(date) { return (((numberOf(date) + 2) % 7) + 7) % 7 + 1; },
  };
})()`;
