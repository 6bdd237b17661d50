import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import { compileHours } from '../../../../src/lib/business-hours'
import { PhraseIndex } from '../../../../src/lib/phrase-index'
import { hasWholeWords, normalText } from '../../../../src/lib/whole-words'
import {
  TriggerSet,
  type KeywordTrigger,
} from '../../../../src/modules/automation/chatbot/keywords/matcher'

let made = 0
const trigger = (
  keyword: string | string[],
  more: Partial<KeywordTrigger> = {},
): KeywordTrigger => ({
  keywords: [keyword].flat(),
  matchType: 'contains',
  isCaseSensitive: false,
  isWholeWord: true,
  priority: 10,
  accountId: null,
  createdAtMs: (made += 1),
  id: String(made).padStart(6, '0'),
  activeFromMs: null,
  activeUntilMs: null,
  activeHours: null,
  ...more,
})

const NOW = Date.parse('2026-11-21T12:00:00Z')
const message = { text: '', accountId: 'number', atMs: NOW, timezone: 'UTC' }
const never = (): boolean => false
const found = (triggers: KeywordTrigger[], text: string, more: Partial<typeof message> = {}) =>
  TriggerSet.of(triggers).match({ ...message, text, ...more }, never).found
const matches = (keyword: string, text: string, more: Partial<KeywordTrigger> = {}): boolean =>
  found([trigger(keyword, more)], text).length > 0

describe('a keyword', () => {
  for (const [name, keyword, text, more] of [
    ['in other case', 'Opening HOURS', 'what are your opening hours?', {}],
    ['with other white space', 'opening hours', ' Opening\n\t hours ', {}],
    ['in full-width letters', 'hours', 'ＨＯＵＲＳ', {}],
    ['with a sharp s', 'STRASSE', 'Hauptstraße', { isWholeWord: false }],
    ['with a final sigma', 'ΟΔΟΣ', 'οδος 5', {}],
    ['next to punctuation', 'hi', '¡hi!', {}],
    ['next to an emoji', 'hi', 'hi👋', {}],
    ['in a script without spaces', '営業時間', '今日の営業時間は？', {}],
    ['in Thai', 'เวลา', 'ขอทราบเวลาเปิดร้าน', {}],
    ['inside a word, if that is allowed', 'hi', 'this', { isWholeWord: false }],
    ['of punctuation', 'c++', 'I like c++.', {}],
    ['that is the whole message', 'yes', '  Yes!!! ', { matchType: 'exact' }],
    ['with punctuation, exactly', 'really?', 'really', { matchType: 'exact' }],
    ['that is punctuation alone', '?', '?', { matchType: 'exact' }],
    ['at the beginning', 'order', 'order 42', { matchType: 'starts_with' }],
    ['as a pattern', 'order #?\\d+', 'My ORDER 42', { matchType: 'regex' }],
    ['with its case', 'SALE', 'the SALE', { isCaseSensitive: true }],
  ] as [string, string, string, Partial<KeywordTrigger>][])
    test(`matches ${name}`, () => {
      expect(matches(keyword, text, more)).toBe(true)
    })

  for (const [name, keyword, text, more] of [
    ['inside a word', 'hi', 'this', {}],
    ['before a digit', 'hi', 'hi5', {}],
    ['before a mark', 'hi', 'hi\u0331', {}],
    ['beside an accented letter', 'caf', 'café', {}],
    ['in a longer message, exactly', 'yes', 'yes please', { matchType: 'exact' }],
    ['in the middle, at the beginning', 'order', 'my order', { matchType: 'starts_with' }],
    ['at the beginning of a word', 'order', 'orders', { matchType: 'starts_with' }],
    ['in other case, with its case', 'SALE', 'the sale', { isCaseSensitive: true }],
    [
      'as a pattern, with its case',
      'SALE',
      'the sale',
      { isCaseSensitive: true, matchType: 'regex' },
    ],
    ['behind 1,024 characters, as a pattern', 'x', `${'a'.repeat(1_024)}x`, { matchType: 'regex' }],
  ] as [string, string, string, Partial<KeywordTrigger>][])
    test(`does not match ${name}`, () => {
      expect(matches(keyword, text, more)).toBe(false)
    })

  test('of several is the longest that matches', () => {
    expect(found([trigger(['hi', 'hi there', 'there'])], 'hi there')[0]?.keyword).toBe('hi there')
  })

  test('gives the named groups of its pattern', () => {
    const [match] = found(
      [trigger('order (?P<number>\\d+)', { matchType: 'regex' })],
      'My Order 42',
    )
    expect(match?.groups).toEqual({ number: '42' })
  })

  test('works in its period and hours only, and on its number', () => {
    const works = (more: Partial<KeywordTrigger>): boolean => matches('hi', 'hi', more)
    expect([
      works({ activeFromMs: NOW }),
      works({ activeFromMs: NOW + 1 }),
      works({ activeUntilMs: NOW }),
      works({ activeUntilMs: NOW + 1 }),
      works({ accountId: 'number' }),
      works({ accountId: 'another' }),
    ]).toEqual([true, false, false, true, true, false])
    const activeHours = compileHours([
      { day: 'saturday', enabled: true, start_time: '13:00', end_time: '14:00' },
    ])
    expect(works({ activeHours })).toBe(false)
    expect(
      found([trigger('hi', { activeHours })], 'hi', { timezone: 'Europe/Berlin' }),
    ).toHaveLength(1)
  })
})

describe('the order of matches', () => {
  const order = (...triggers: KeywordTrigger[]): string[] =>
    found(triggers, 'opening hours today').map((match) => match.trigger.id)

  test('is priority, longer keyword, rule of the number, age', () => {
    expect(
      order(
        trigger('hours', { id: 'young', createdAtMs: 9 }),
        trigger('hours', { id: 'b', createdAtMs: 5 }),
        trigger('hours', { id: 'a', createdAtMs: 5 }),
        trigger('today', { id: 'number', accountId: 'number', createdAtMs: 9 }),
        trigger('opening hours', { id: 'long', createdAtMs: 9 }),
        trigger('to', { id: 'high', priority: 11, isWholeWord: false, createdAtMs: 9 }),
      ),
    ).toEqual(['high', 'long', 'number', 'a', 'b', 'young'])
  })
})

test('patterns for which the time does not suffice are skipped, the least important first', () => {
  const triggers = [1, 3, 2].map((priority) => trigger('hi', { matchType: 'regex', priority }))
  let calls = 0
  const result = TriggerSet.of(triggers).match({ ...message, text: 'hi' }, () => (calls += 1) > 1)
  expect(result.found.map((match) => match.trigger.priority)).toEqual([3])
  expect(result.skipped.map(({ priority }) => priority)).toEqual([2, 1])
})

describe('compared with a search for one keyword at a time', () => {
  const word = fc.stringMatching(/^[abß é会]{1,4}$/u)
  const text = fc.stringMatching(/^[abß é会.1]{0,24}$/u)

  test('the same keywords are found', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        text,
        fc.boolean(),
        (words, written, isWholeWord) => {
          const usable = words.filter((one) => normalText(one) !== '')
          const triggers = usable.map((one) => trigger(one, { isWholeWord }))
          const normal = normalText(written)
          const expected = usable.filter((one) =>
            isWholeWord ? hasWholeWords(normal, normalText(one)) : normal.includes(normalText(one)),
          )
          expect(
            found(triggers, written)
              .map(({ keyword }) => keyword)
              .toSorted(),
          ).toEqual(expected.toSorted())
        },
      ),
      { numRuns: 500 },
    )
  })

  test('an index finds every phrase at a place, longest first', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[ab]{1,6}$/), { maxLength: 30 }),
        fc.stringMatching(/^[ab]{0,12}$/),
        (phrases, within) => {
          const index = PhraseIndex.of(phrases)
          for (let at = 0; at < within.length; at += 1) {
            const hits: string[] = []
            index.eachAt(within, at, (nth) => hits.push(index.phrases[nth] ?? ''))
            expect(hits).toEqual(
              [...new Set(phrases)]
                .filter((phrase) => within.startsWith(phrase, at))
                .toSorted((a, b) => b.length - a.length),
            )
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** Returns the least processor time of each work, which take turns so that all have the same machine. */
function leastCosts(works: (() => unknown)[], { repeats }: { repeats: number }): number[] {
  const least = works.map(() => Infinity)
  for (let run = 0; run < 12; run += 1)
    for (const [nth, work] of works.entries()) {
      const before = process.cpuUsage()
      for (let repeat = 0; repeat < repeats; repeat += 1) work()
      const { user, system } = process.cpuUsage(before)
      least[nth] = Math.min(least[nth] ?? Infinity, user + system)
    }
  return least
}

/**
 * Expects that a text costs about the same with a hundred times the keywords. A search for one keyword
 * at a time would cost a hundred times as much; the margin is wide, because machines differ.
 */
function expectFlat(
  setOf: (share: number) => TriggerSet<KeywordTrigger>,
  text: string,
  { repeats }: { repeats: number },
): void {
  const works = [0.01, 1].map((share) => {
    const set = setOf(share)
    return () => set.match({ ...message, text }, never)
  })
  const [few = 0, many = 0] = leastCosts(works, { repeats })
  expect(many / few).toBeLessThan(25)
}

describe('a message costs the same with a hundred times the keywords', () => {
  const words = Array.from({ length: 1_000 }, (_, at) => `word${(at * 7_919) % 100_003} here`)
  for (const [name, keywords, text, repeats] of [
    ['a usual one', words, 'Hello, when do you open? word7919 here', 200],
    ['the longest one', words, 'word and here '.repeat(292), 3],
    [
      'the longest one with keywords that begin like it',
      Array.from({ length: 200 }, (_, at) => 'a'.repeat(at + 2)),
      'ab'.repeat(2_048),
      3,
    ],
  ] as [string, string[], string, number][])
    test(name, () => {
      const triggers = keywords.map((keyword, at) =>
        trigger(keyword, { isWholeWord: at % 2 === 0 }),
      )
      const share = (part: number) => TriggerSet.of(triggers.slice(0, triggers.length * part))
      expectFlat(share, text, { repeats })
    })

  const nth = (length: number, of: string): string => of.repeat(length).slice(0, length)
  for (const [name, unit, text] of [
    ['that begin like each other', 'a', 'a'.repeat(4_096)],
    ['of many words', 'a ', 'a '.repeat(2_048)],
    ['that end inside of words', '.......a', '.......a'.repeat(512)],
  ] as [string, string, string][])
    test(`10,000 keywords ${name}`, () => {
      const triggers = Array.from({ length: 200 }, (_, rule) => ({
        ...trigger(''),
        isWholeWord: rule % 2 === 0,
        keywords: Array.from({ length: 50 }, (_each, at) =>
          nth(1 + ((rule * 50 + at) % 255), unit),
        ),
      }))
      const share = (part: number) => TriggerSet.of(triggers.slice(0, triggers.length * part))
      expectFlat(share, text, { repeats: 1 })
    })
})

test('many keywords are prepared in small steps', () => {
  const many = 5_000
  const triggers = Array.from({ length: many / 50 }, (_, rule) =>
    trigger(Array.from({ length: 50 }, (_each, at) => `word ${rule} of ${at}`)),
  )
  // One step a rule, and at most 500 phrases in a step of each of the three ways through them.
  let steps = 0
  for (const work = TriggerSet.building(triggers); work.next().done !== true;) steps += 1
  expect(steps).toBeGreaterThan(triggers.length + (3 * many) / 500)
})
