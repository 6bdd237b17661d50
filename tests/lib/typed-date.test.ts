import { expect, test } from 'bun:test'

import { readDate } from '../../src/lib/typed-date'

/** A Tuesday. */
const TODAY = '2026-11-24'

test.each([
  ['2026-12-31', '2026-12-31'],
  ['31.12.2026', '2026-12-31'],
  ['31/12/26', '2026-12-31'],
  ['3-5-85', '1985-05-03'],
  ['1.1.45', '2045-01-01'],
  ['1.1.46', '1946-01-01'],
  ['31.12.', '2026-12-31'],
  ['1/2', '2027-02-01'],
  ['29.2.', '2028-02-29'],
  ['٣١/١٢/٢٠٢٦', '2026-12-31'],
  ['31.02.2026', null],
  ['12/31/2026', null],
  ['1.2.3', null],
  ['', null],
  ['soon', null],
  ['3', null],
  ['May', null],
  ['3 May 2027 or later', null],
  ['3 May 4 June', null],
  ['x'.repeat(5_000), null],
])('%p is %p', (text, date) => {
  expect(readDate(text, TODAY)).toBe(date)
})

test.each([
  [0, ['today', 'heute', 'hoy', 'hoje', 'اليوم', "aujourd'hui", 'oggi', 'bugün', 'hari ini', 'आज']],
  [1, ['Tomorrow!', 'morgen', 'manana', 'amanhã', 'غداً', 'demain', 'domani', 'yarın', 'besok']],
  [2, ['the day after tomorrow', 'Übermorgen', 'pasado mañana', 'depois de amanha', 'بعد غد']],
])('words for %p days from now', (ahead, words) => {
  for (const word of words)
    expect([word, readDate(word, TODAY)]).toEqual([word, `2026-11-${24 + ahead}`])
})

test.each([
  ['Friday', '2026-11-27'],
  ['next Friday', '2026-11-27'],
  ['am Freitag', '2026-11-27'],
  ['el viernes', '2026-11-27'],
  ['sexta-feira', '2026-11-27'],
  ['sexta', '2026-11-27'],
  ['الجمعة', '2026-11-27'],
  ['Tuesday', '2026-12-01'],
  ['Fri', '2026-11-27'],
])('the day of the week %p is the next one, %p', (text, date) => {
  expect(readDate(text, TODAY)).toBe(date)
})

test.each([
  ['3 May', '2027-05-03'],
  ['May 3rd, 2027', '2027-05-03'],
  ['Friday, 27 November', '2026-11-27'],
  ['3. März', '2027-03-03'],
  ['3. Maerz 27', null],
  ['den 3. Mai 1985', '1985-05-03'],
  ['3 de mayo de 2027', '2027-05-03'],
  ['25 dez 26', '2026-12-25'],
  ['1er mai', '2027-05-01'],
  ['mar 3', '2027-03-03'],
  ['mar. 3 mar', '2027-03-03'],
  ['3 jui', null],
  ['3 dicembre', '2026-12-03'],
  ['3 ديسمبر', '2026-12-03'],
  ['31 February', null],
  ['24 November', '2026-11-24'],
])('the day and month %p is %p', (text, date) => {
  expect(readDate(text, TODAY)).toBe(date)
})
