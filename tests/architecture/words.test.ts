import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Kind, Type, type TSchema } from '@sinclair/typebox'

import { createApp } from '../../src/app'
import { oneOf, oneOfInAnyCase } from '../../src/lib/fields'
import { withVariants } from '../../src/lib/variants'
import { CLIENT_PAYLOADS } from '../../src/modules/delivery/realtime/frames/client/model'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.create()
})
afterAll(() => world.stop())

/** Texts that list words which nobody enforces: TypeBox ignores `enum` of a `Type.String`. */
function wishes(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { [Kind]: kind, enum: words } = schema as TSchema
  const own = kind === 'String' && words !== undefined ? [at] : []
  const inside = Object.entries(schema)
    .filter(([key]) => !['enum', 'examples', 'default'].includes(key))
    .flatMap(([key, part]) => wishes(part, `${at}.${key}`))
  return [...own, ...inside]
}

test('a text with a list of words is found wherever it stands in a schema', () => {
  const wish = Type.String({ enum: ['a', 'b'] })
  const found = [
    wish,
    Type.Object({ word: Type.Optional(wish) }),
    Type.Array(Type.Object({ word: wish })),
    Type.Union([wish, Type.Null()]),
    withVariants(Type.Object({ kind: Type.String() }), 'kind', { a: { word: wish } }),
  ]
  for (const schema of found) expect(wishes(schema, 'body')).toHaveLength(1)
  for (const word of [oneOf(['a', 'b']), oneOfInAnyCase(['a', 'b'])])
    expect(wishes(Type.Object({ word: Type.Array(word) }), 'body')).toEqual([])
})

test('every list of words in a request is enforced', () => {
  const { routes } = createApp(world.program).app
  expect(routes.length).toBeGreaterThan(300)
  const parts = routes.flatMap(({ method, path, hooks }) =>
    (['body', 'query', 'params', 'headers'] as const).map(
      (part) => [`${method} ${path} ${part}`, (hooks as Record<string, unknown>)[part]] as const,
    ),
  )
  const frames = Object.entries(CLIENT_PAYLOADS).map(
    ([name, schema]) => [`frame ${name}`, schema] as const,
  )
  expect([...parts, ...frames].flatMap(([at, schema]) => wishes(schema, at))).toEqual([])
})
