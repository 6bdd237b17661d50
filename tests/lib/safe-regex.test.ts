import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import { SafeRegex, type RegexProblem } from '../../src/lib/safe-regex'

const compiled = (pattern: string, isCaseSensitive = true): SafeRegex => {
  const regex = SafeRegex.compile(pattern, { isCaseSensitive })
  if (regex instanceof SafeRegex) return regex
  throw new Error(`${pattern} ${regex.message}`)
}
const refused = (pattern: string): RegexProblem => {
  const problem = SafeRegex.compile(pattern)
  if (problem instanceof SafeRegex) throw new Error(`${pattern} is accepted`)
  return problem
}

describe('a regular expression', () => {
  test('finds a match anywhere and returns its named groups', () => {
    expect(
      compiled('order (?P<number>\\d+)(?: of (?P<day>\\w+))?').find('my order 42, please'),
    ).toEqual({ number: '42' })
    expect(compiled('(?<a>x)').find('y')).toBeNull()
    expect(compiled('^hi$').find('hi')).toEqual({})
    expect(compiled('^hi$').find('hi there')).toBeNull()
  })

  test('ignores case if told to', () => {
    expect(compiled('straße|ÇA', false).find('ça va')).toEqual({})
    expect(compiled('hello').find('HELLO')).toBeNull()
  })

  test('searches only the first 1,024 characters', () => {
    expect(compiled('x').find(`${'a'.repeat(1_023)}x`)).toEqual({})
    expect(compiled('x').find(`${'a'.repeat(1_024)}x`)).toBeNull()
    expect(compiled('.$').find(`${'a'.repeat(1_023)}😀x`)).toEqual({})
  })

  for (const [pattern, position] of [
    ['(?=a)', 1],
    ['ab(?!c)', 3],
    ['(?<=a)b', 1],
    ['é😀(?<!a)b', 3],
    ['(a)\\1', 4],
    ['\\\\1(a)\\1', 7],
    ['(?P<n>a)(?P=n)', 9],
    ['(?<n>a)\\k<n>', 8],
    ['(?>a)', 1],
    ['a++b', 2],
    ['[(?=]\\Q(?=\\E\\(?=(?=x)', 17],
  ] as const)
    test(`with ${pattern} is refused, with the position`, () => {
      expect(refused(pattern)).toMatchObject({
        code: 'regex_unsupported',
        message: expect.stringContaining(`at character ${position}`),
        details: { position },
      })
    })

  for (const pattern of [
    '[(?=)]',
    '\\(?=',
    '[])(?=]',
    '[[:alpha:](?!]',
    '\\Q(a)\\1\\E',
    '(?i:a)(?:b)(?P<c>d)(?<e>f)',
    'a+?b*?',
    '\\\\1',
  ])
    test(`with ${pattern} is accepted: nothing in it looks around or back`, () => {
      expect(SafeRegex.compile(pattern)).toBeInstanceOf(SafeRegex)
    })

  test('that is malformed is refused in words', () => {
    expect(refused('(a')).toEqual({
      code: 'invalid_input',
      message: 'is not a regular expression in RE2 syntax: missing closing ): `(a`',
    })
  })

  test('has at most 100 instructions', () => {
    expect(refused('(a?){30}')).toEqual({
      code: 'regex_too_large',
      message: 'compiles to 122 instructions; at most 100 are allowed',
      details: { instructions: 122, max_instructions: 100 },
    })
    expect(refused('\\pL|'.repeat(21)).code).toBe('regex_too_large')
    compiled('([a-z]?){24}[0-9]')
  })
})

/** Texts that make patterns work hard. */
const HARD = [
  'a'.repeat(1_024),
  'ab'.repeat(512),
  'a1b2'.repeat(256),
  'é中 x9'.repeat(204),
  Array.from({ length: 1_024 }, (_, at) => 'abcd 0!'[(at * at + at) % 7]).join(''),
]

/** The shortest of a few runs: other processes make a run longer, never shorter. */
function bestMs(work: () => void, runs: number): number {
  let best = Infinity
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

/**
 * Twice the 5 ms of processor time that a pattern may take in a warm process, since tests also run
 * on slow machines and without the last compiler.
 */
const LIMIT_MS = 10

/** Random patterns; `PATTERN_RUNS=500` for more. */
const RUNS = Number(process.env['PATTERN_RUNS'] ?? 40)

describe('an accepted pattern takes a few milliseconds of processor time in a warm process', () => {
  for (const pattern of [
    '(a+)+$',
    '([a-z]?){24}[0-9]',
    '[a-z]{1,24}[0-9]{1,24}$',
    '[ab]*a[ab]{40}[cd]',
    '(?s).*[a-m].{88}[n-z]',
    '\\pL*a\\pL{60}z',
    `${'(.*)'.repeat(18)}z`,
  ])
    test(pattern, () => {
      const regex = compiled(pattern, false)
      for (const text of HARD) regex.find(text)
      for (const text of HARD) expect(bestMs(() => void regex.find(text), 5)).toBeLessThan(LIMIT_MS)
    })

  test('random ones near the bound', () => {
    const atom = fc.constantFrom(
      'a',
      '.',
      '[a-z]',
      '\\w',
      '[^x]',
      '\\pL',
      '(?:a|ab)',
      '\\b',
      '(?:a|b|)',
    )
    const times = fc.constantFrom('', '*', '+?', '?', '{0,9}', '{7}', '{1,16}')
    const patterns = fc
      .array(fc.tuple(atom, times), { minLength: 1, maxLength: 12 })
      .map((parts) => `${parts.map(([one, many]) => one + many).join('')}!$`)
    fc.assert(
      fc.property(patterns, (pattern) => {
        const regex = SafeRegex.compile(pattern, { isCaseSensitive: false })
        if (!(regex instanceof SafeRegex)) return
        for (const text of HARD)
          expect(bestMs(() => void regex.find(text), 4)).toBeLessThan(LIMIT_MS)
      }),
      { numRuns: RUNS },
    )
  })

  test('is compiled in less than 20 ms', () => {
    for (const pattern of ['\\pL|'.repeat(19), '[\\pL\\d]'.repeat(20), '(?:(?:a*)*)*'.repeat(40)])
      expect(
        bestMs(() => void SafeRegex.compile(pattern, { isCaseSensitive: false }), 4),
      ).toBeLessThan(20)
  })
})
