import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'

import { oversizedFinderOf, refuseOversized } from '../../src/http/refuse-oversized'
import { InvalidError } from '../../src/lib/errors'

const Body = Type.Object({
  name: Type.String({ maxLength: 20_000 }),
  language: Type.Union([Type.Literal('en'), Type.Null()]),
  tags: Type.Array(Type.String({ maxLength: 30 }), { maxItems: 600, error: 'must be few tags' }),
  filter: Type.Union([
    Type.Object({ any: Type.Array(Type.Object({ text: Type.String() })) }),
    Type.Null(),
  ]),
  people: Type.Array(Type.Object({ note: Type.String({ maxLength: 50 }) }), { maxItems: 10 }),
  free: Type.Unknown(),
})
const find = oversizedFinderOf(Body) ?? undefined

/** Returns what is told of a body, or `null`. */
function problemOf(body: unknown): unknown {
  try {
    refuseOversized(find, body)
    return null
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error
    return error.errors
  }
}

const text = (length: number): string => 'x'.repeat(length)
const list = (length: number): string[] => Array.from({ length }, () => 'x')

test('what is much too long is refused before it is validated, with its place', () => {
  const cases: [body: unknown, path: string, message: string][] = [
    [{ name: text(40_001) }, 'body.name', 'must have at most 20000 characters'],
    [{ language: text(10_001) }, 'body.language', 'must have at most 255 characters'],
    [{ tags: list(601) }, 'body.tags', 'must be few tags'],
    [{ tags: ['a', text(10_001)] }, 'body.tags.1', 'must have at most 30 characters'],
    [{ people: list(501) }, 'body.people', 'must have at most 10 items'],
    [{ people: [{ note: text(10_001) }] }, 'body.people.0.note', 'must have at most 50 characters'],
  ]
  for (const [body, path, message] of cases) expect(problemOf(body)).toEqual([{ path, message }])
})

test('what is little too long, unbounded, unknown or of another type is left to the validation', () => {
  const left = [
    { name: text(40_000), language: text(10_000), tags: list(600), people: list(500) },
    { filter: { any: [{ text: text(100_000) }] }, free: { any: list(5_000) } },
    { unknown: text(100_000), people: 'x', tags: { 0: text(100_000) }, name: null },
    null,
    text(100_000),
    list(5_000),
  ]
  for (const body of left) expect([body, problemOf(body)]).toEqual([body, null])
  expect(oversizedFinderOf(undefined)).toBeNull()
  expect(() => refuseOversized(undefined, { name: text(100_000) })).not.toThrow()
})
