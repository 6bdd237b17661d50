import { expect, test } from 'bun:test'

import { ApiError } from '../../../src/console/api/error'
import { oggOf } from '../../../src/console/pages/inbox/composer/ogg'
import { asksForName } from '../../../src/console/parts/template/asks-for-name'
import { problemOfColumns } from '../../../src/console/pages/import/columns'
import { shownName } from '../../../src/console/pages/inbox/thread/file'
import { fieldWords } from '../../../src/console/parts/field-words'
import { fileSentence } from '../../../src/console/parts/table-file'
import { dayOf, endOfDay, formatDate, setConventions } from '../../../src/console/texts/format'
import { countries, timeZones } from '../../../src/console/texts/places'
import { LANGUAGES, type Language } from '../../../src/console/texts/languages'
import { findText, loadLateTexts, nameText, setLanguage } from '../../../src/console/texts/texts'
import { readTimeOfDay } from '../../../src/console/texts/time-of-day'
import {
  Email,
  FullName,
  isName,
  NewPassword,
  nameText as nameSchema,
} from '../../../src/lib/fields'
import { isTimezone } from '../../../src/lib/timezone'
import { PERMISSIONS } from '../../../src/modules/organization/roles/catalog'

const wordsOf = (message: string, code = 'invalid_input'): string | undefined => {
  const fields = [{ path: 'body.name', message }]
  const more = { retryAfterS: null, requestId: null, details: null, fields }
  return fieldWords(new ApiError(400, code, '', more))['name']
}

test('the rules of the common fields are said in the language of the person', () => {
  const rules = [Email, FullName, NewPassword, nameSchema(100)].map(({ error }) => String(error))
  expect(rules.map((rule) => wordsOf(rule))).toEqual([
    'This is not an email address.',
    '1 to 255 characters, and not only spaces.',
    '8 to 256 characters, and not only spaces.',
    '1 to 100 characters, and not only spaces.',
  ])
  expect(wordsOf('is required')).toBe('Fill in this field.')
  expect(wordsOf('must have at most 40 characters')).toBe('At most 40 characters.')
})

test('a code decides before the sentence, and an unknown sentence stays as it is', () => {
  expect(wordsOf('is one of the most common passwords', 'password_too_common')).toBe(
    'This password is too common.',
  )
  expect(wordsOf('must be a UUID')).toBe('must be a UUID')
})

test('what is wrong with a file of rows is said in words of the page, with its line', async () => {
  const said = (code: string, message: string): string =>
    fileSentence(
      new ApiError(400, code, message, {
        ...{ retryAfterS: null, requestId: null, details: null, fields: [] },
      }),
    )
  await loadLateTexts()
  expect(said('unsupported_media_type', 'The file must be CSV or XLSX.')).toContain('JSON list')
  const open = 'The file has an unterminated cell at or before line 1200; look for'
  expect(said('malformed_csv', open)).toContain('in line 1,200, or before,')
  expect(said('row_too_long', 'The file has a row of more than 1 MiB (row 7)')).toContain('Row 7')
})

test('columns of the same name are told before the file is checked', async () => {
  await loadLateTexts()
  const problem = (keys: Record<string, string | null>, headings: string[]) =>
    problemOfColumns([], keys, headings)
  const keys = { Phone: 'phone_number', Note: null }
  expect(problem(keys, ['Phone', 'Note', 'Note'])).toBeNull()
  expect(problem(keys, ['Phone', 'Note', 'Phone'])).toContain('are called “Phone”')
  expect(problem({ ...keys, Note: 'phone_number' }, ['Phone', 'Note'])).toContain('Two columns')
})

test('the name of a customer is filled in where a template asks for it', () => {
  const asks = (key: string, body: string, example: string | null = null): boolean =>
    asksForName({ key, example }, body)
  expect(asks('1', 'Hello {{1}}, it is ready.', 'Ana')).toBe(true)
  expect(asks('1', '¡Hola, *{{1}}*! Su pedido {{2}}', 'Ana')).toBe(true)
  expect(asks('2', 'Order {{1}} of {{2}}', 'Customer name')).toBe(true)
  expect(asks('first_name', 'Welcome, {{first_name}}')).toBe(true)
  expect(asks('1', 'This is a reminder of your appointment on {{1}}.', 'Friday')).toBe(false)
  expect(asks('1', 'Your order {{1}} is ready.', '12')).toBe(false)
  expect(asks('company_name', 'Hello {{company_name}}')).toBe(false)
})

test('a recording without sound is none', async () => {
  expect(await oggOf(new Blob())).toBeNull()
})

test('the name of a file is shown in the order of its characters', () => {
  expect(shownName('invoice\u202Efdp.exe')).toBe('invoicefdp.exe')
  expect(shownName('\u2067סיכום\u2069.pdf')).toBe('סיכום.pdf')
  expect(shownName(null)).toBeNull()
})

test.each([
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/Santiago', '2026-09-05'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['Pacific/Kiritimati', '2026-12-31'],
])('in %s, %s ends where the next day begins', (timeZone, day) => {
  setConventions({ timeZone, dateFormat: 'YYYY-MM-DD' })
  const endMs = endOfDay(day)
  expect(dayOf(endMs - 1)).toBe(day)
  expect(dayOf(endMs) > day).toBe(true)
})

test.each([
  ['9', '09:00'],
  ['930', '09:30'],
  ['0930', '09:30'],
  [' 9.30 ', '09:30'],
  ['18', '18:00'],
  ['9:00 AM', '09:00'],
  ['6:30\u202FPM', '18:30'],
  ['12 am', '00:00'],
  ['12pm', '12:00'],
  ['24:00', '00:00'],
  ['٩:٠٠ ص', '09:00'],
  ['6:00 م', '18:00'],
  ['25', null],
  ['13 pm', null],
  ['9:75', null],
  ['noon', null],
  ['', null],
])('a person who writes the time %j means %p', (written, time) => {
  expect(readTimeOfDay(written)).toBe(time)
})

test('every permission has a sentence', () => {
  const without = [...PERMISSIONS].filter((one) => findText(`settings.permission.${one}`) === null)
  expect(without).toEqual([])
})

test('countries and time zones are offered by their names', () => {
  expect(countries()).toContain('DE')
  expect(countries()).not.toContain('EU')
  const zones = timeZones().filter((zone) => !zone.startsWith('Etc/'))
  expect(zones.filter((zone) => !isTimezone(zone))).toEqual([])
})

test.each(Object.keys(LANGUAGES) as Language[])(
  'a name that is proposed in %s is one that the server takes',
  async (language) => {
    Object.assign(globalThis, { document: { documentElement: {} } })
    await loadLateTexts()
    await setLanguage(language)
    const named = nameText('wizard.new-name', { day: formatDate('2026-12-07T08:00:00Z') })
    const copied = nameText('campaigns.copy-name', { name: 'Spring' })
    expect([named, copied].filter((name) => !isName(name))).toEqual([])
    expect([named, copied].filter((name) => /[\u2066-\u2069]/u.test(name))).toEqual([])
    await setLanguage('en')
    Reflect.deleteProperty(globalThis, 'document')
  },
)
