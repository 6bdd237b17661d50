import { foldText } from './fold-text'
import { isCalendarDate } from './instant'
import { withPlainDigits } from './typed-text'

/** Names of months in ten languages, January first. */
const MONTHS = [
  'january february march april may june july august september october november december',
  'januar februar märz april mai juni juli august september oktober november dezember',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık',
  'januari februari maret april mei juni juli agustus september oktober november desember',
  'जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर',
]

/** Names of weekdays in the same languages, Monday first. */
const WEEKDAYS = [
  'monday tuesday wednesday thursday friday saturday sunday',
  'montag dienstag mittwoch donnerstag freitag samstag sonntag',
  'lunes martes miércoles jueves viernes sábado domingo',
  'segunda terça quarta quinta sexta sábado domingo',
  'الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد',
  'lundi mardi mercredi jeudi vendredi samedi dimanche',
  'lunedì martedì mercoledì giovedì venerdì sabato domenica',
  'pazartesi salı çarşamba perşembe cuma cumartesi pazar',
  'senin selasa rabu kamis jumat sabtu minggu',
  'सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार',
]

/** Words for days beside today, by their distance. Texts are folded before they are compared. */
const RELATIVE: readonly [days: number, phrases: string][] = [
  [0, 'today, heute, hoy, hoje, اليوم, aujourd hui, oggi, bugün, hari ini, आज'],
  [1, 'tomorrow, morgen, mañana, amanhã, غدا, بكرة, demain, domani, yarın, besok'],
  [
    2,
    'day after tomorrow, übermorgen, pasado mañana, depois de amanhã, بعد غد, بعد غدا, ' +
      'après demain, dopodomani, öbür gün, lusa',
  ],
  [-1, 'yesterday, gestern, ayer, ontem, أمس, hier, ieri, dün, kemarin'],
]

/** Words around dates that say nothing about them. */
const FILLERS = new Set(
  folded(
    'the on of at this next coming th st nd rd am an der den dem diesen dieser nächsten nächster ' +
      'nächste kommenden kommender el la de del este próximo próxima proximo para no na em do da ' +
      'dia feira يوم في le il lo er prossimo questo prochain ce giorno tanggal pada günü',
  ),
)

function folded(words: string): string[] {
  return foldText(words).split(/\s+/)
}

/** Returns the words and numbers of a text, folded, without fillers: `3rd` gives `3`. */
const wordsOf = (text: string): string[] =>
  (foldText(text).match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? []).filter((word) => !FILLERS.has(word))

/** Names and their numbers. */
type Names = ReadonlyMap<string, number>

const numbered = (lists: readonly string[]): Names =>
  new Map(lists.flatMap((list) => folded(list).map((name, at) => [name, at + 1] as const)))

const [months, weekdays] = [numbered(MONTHS), numbered(WEEKDAYS)]
const relative: Names = new Map(
  RELATIVE.flatMap(([days, phrases]) =>
    phrases.split(', ').map((phrase) => [wordsOf(phrase).join(' '), days] as const),
  ),
)

/** Letters of the shortest abbreviation. */
const MIN_LETTERS = 3

/** Returns the number of a name or of its abbreviation; `null` if there is none, or several. */
function numberOf(word: string, names: Names): number | null {
  const exact = names.get(word)
  if (exact !== undefined || word.length < MIN_LETTERS) return exact ?? null
  const numbers = new Set(
    [...names].filter(([name]) => name.startsWith(word)).map(([, number]) => number),
  )
  const [number] = numbers
  return numbers.size === 1 && number !== undefined ? number : null
}

/** Days as people write them in digits: `31.12.2026`, `31/12/26`, `31.12.` */
const DAY_FIRST = /^(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4}|\d{2})?)?$/

/** Longest text that is read as a date. */
const MAX_LENGTH = 60

/**
 * Reads a date that a person typed, as `YYYY-MM-DD`; `null` for any other text. The day comes first
 * unless the year does. `today` is the date of now. A year of two digits is at most 19 years ahead; a
 * day without a year, and a day of the week, is the next one. Words are those of ten languages:
 * `tomorrow`, `Friday`, `3. Mai`, `May 3rd, 2027`.
 */
export function readDate(typed: string, today: string): string | null {
  const text = withPlainDigits(typed).trim()
  if (text.length > MAX_LENGTH) return null
  if (isCalendarDate(text)) return text
  const [, day, month, year] = DAY_FIRST.exec(text) ?? []
  if (day !== undefined && month !== undefined)
    return dateOf({ day: Number(day), month: Number(month), year }, today)
  return inWords(text, today)
}

function inWords(text: string, today: string): string | null {
  const words = wordsOf(text)
  const from = Temporal.PlainDate.from(today)
  const days = relative.get(words.join(' '))
  if (days !== undefined) return from.add({ days }).toString()
  const [first = '', ...others] = words
  const weekday = numberOf(first, weekdays)
  if (weekday !== null && others.length === 0)
    return from.add({ days: (weekday - from.dayOfWeek + 7) % 7 || 7 }).toString()
  // `Friday, 3 May`: the day of the week says nothing more.
  return dayAndMonth(words, today) ?? (weekday === null ? null : dayAndMonth(others, today))
}

function dayAndMonth(words: readonly string[], today: string): string | null {
  const named = words.find((word) => numberOf(word, months) !== null)
  const [day, year, ...more] = words.filter((word) => word !== named)
  if (named === undefined || more.length > 0 || !/^\d{1,2}$/.test(day ?? '')) return null
  if (year !== undefined && !/^(?:\d{2}|\d{4})$/.test(year)) return null
  return dateOf({ day: Number(day), month: numberOf(named, months) ?? 0, year }, today)
}

/** Years from now up to which a year of two digits is in this century. */
const YEARS_AHEAD = 19

function dateOf(
  { day, month, year }: { day: number; month: number; year: string | undefined },
  today: string,
): string | null {
  const thisYear = Number(today.slice(0, 4))
  if (year !== undefined) return written(fullYear(year, thisYear), month, day)
  // The next one; February 29 may be years ahead.
  for (let ahead = 0; ahead <= 8; ahead += 1) {
    const date = written(thisYear + ahead, month, day)
    if (date !== null && date >= today) return date
  }
  return null
}

function fullYear(year: string, thisYear: number): number {
  if (year.length === 4) return Number(year)
  const inCentury = Math.trunc(thisYear / 100) * 100 + Number(year)
  return inCentury > thisYear + YEARS_AHEAD ? inCentury - 100 : inCentury
}

function written(year: number, month: number, day: number): string | null {
  const two = (part: number): string => String(part).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return isCalendarDate(date) ? date : null
}
