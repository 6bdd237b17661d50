import { expect, test } from 'bun:test'

import { parseJson } from '../../src/infra/json/parse'
import { scanJson } from '../../src/infra/json/scan'
import { seededRandom } from '../../src/simulator/random'

const LIMITS = { values: 10_000_000, fields: 50_000, levels: 100 }

/** What the text is, or that it is no JSON; parsed in pieces, and at once. */
async function both(text: string): Promise<[inPieces: unknown, atOnce: unknown]> {
  const bytes = new TextEncoder().encode(text)
  const scanned = await scanJson(bytes, LIMITS)
  if ('excess' in scanned) throw new Error(scanned.excess)
  const inPieces = await parseJson(bytes, scanned.large).catch(() => 'no JSON')
  try {
    return [inPieces, JSON.parse(text)]
  } catch {
    return [inPieces, 'no JSON']
  }
}

const TEXTS = ['', 'a', 'é\n', '"{[,', '\\', '😀', 'x'.repeat(500)]

test('JSON that is parsed in pieces is what it is at once, also with a mistake anywhere', async () => {
  const random = seededRandom(7)
  const below = (most: number): number => Math.floor(random() * most)
  const value = (levels: number): unknown => {
    const kind = levels === 0 ? below(4) : below(7)
    if (kind === 0) return below(1_000_000) / 8
    if (kind === 1) return TEXTS[below(TEXTS.length)]
    if (kind === 2) return null
    if (kind === 3) return false
    const members = Array.from({ length: below(12) }, () => value(levels - 1))
    if (kind === 4) return members
    return Object.fromEntries(
      members.map((one, nth) => [nth % 9 === 0 ? '__proto__' : `k${nth}`, one]),
    )
  }
  const wholes = [
    { entry: Array.from({ length: 3_000 }, () => ({ id: '1', ...(value(1) as object) })) },
    Array.from({ length: 60 }, () => ({ 'a"b': Array.from({ length: 30 }, () => value(3)) })),
    Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`key ${nth}`, value(0)])),
    {
      a: { b: [[[Array.from({ length: 20_000 }, (_, nth) => `s${nth}`)]], 7] },
      c: 'x'.repeat(99_999),
    },
  ]
  const signs = [...'[]{},:"\\ 0x'.split(''), '\u0000', '\ufeff', ',,', '  ', ' '.repeat(40_000)]
  for (const [nth, whole] of wholes.entries()) {
    const text = JSON.stringify(whole, null, nth % 2)
    const [inPieces, atOnce] = await both(text)
    expect(inPieces).toEqual(atOnce)
    expect(JSON.stringify(inPieces)).toBe(JSON.stringify(atOnce))
    for (let round = 0; round < 24; round += 1) {
      const near =
        [0, 1, text.length, text.length - 1, 2, text.length - 2][round] ?? below(text.length)
      const kept = round % 2 === 0 ? near : near + 1
      const wrong = text.slice(0, near) + (signs[below(signs.length)] ?? '') + text.slice(kept)
      const [mine, theirs] = await both(wrong)
      expect(JSON.stringify(mine) === JSON.stringify(theirs) || wrong).toBe(true)
    }
  }
})

test('a field called __proto__ is a field, and a mark before the text is none', async () => {
  const large = JSON.stringify(Array.from({ length: 20_000 }, () => 1))
  const [read] = await both(`{"__proto__":${large},"a":1}`)
  expect(Object.keys(read as object)).toEqual(['__proto__', 'a'])
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  expect(Array.isArray((await both(`\ufeff${large}`))[0])).toBe(true)
})
