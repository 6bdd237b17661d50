import { Type } from '@sinclair/typebox'
import { expect, test } from 'bun:test'

import { Elysia } from 'elysia'

import { withVariants } from '../../src/lib/variants'
import { exactCheck } from '../support/exact-schema'
import { INEXACT, watchAnswers } from '../support/exact-answers'
import { World } from '../support/world'

const Thing = Type.Object({
  id: Type.String({ format: 'uuid' }),
  note: Type.Optional(Type.String()),
  owner: Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
  parts: Type.Array(
    Type.Object({ sizes: Type.Record(Type.String(), Type.Object({ mm: Type.Number() })) }),
  ),
  anything: Type.Unknown(),
})

const thing = () => ({
  id: '0199a1b2-1111-7222-8333-444455556666',
  owner: { name: 'Ada' } as Record<string, unknown>,
  parts: [
    { sizes: { small: { mm: 1 } as Record<string, unknown> } as Record<string, unknown> } as Record<
      string,
      unknown
    >,
  ],
  anything: { secret: 'is allowed here' },
})

/** Changes of an answer after which it is not exactly what the schema says. */
const SPOILED: ((value: Record<string, unknown> & ReturnType<typeof thing>) => void)[] = [
  (value) => (value['password_hash'] = 'x'),
  (value) => (value.owner['email'] = 'x'),
  (value) => (value.parts[0] = { ...value.parts[0], cost: 1 }),
  (value) => (value.parts[0] = { sizes: { small: { mm: 1, in: 2 } } }),
  (value) => (value.id = 'no id'),
  (value) => (value['note'] = 5),
  (value) => Reflect.deleteProperty(value, 'anything'),
]

test('detects an undeclared field at any depth and a value that does not match its schema', () => {
  const isExact = exactCheck(Type.Object({ data: Thing }))
  expect(isExact({ data: thing() })).toBe(true)
  expect(isExact({ data: { ...thing(), note: 'said', owner: null, parts: [] } })).toBe(true)
  for (const spoil of SPOILED) {
    const spoiled = { data: thing() }
    spoil(spoiled.data)
    expect({ spoil: String(spoil), isExact: isExact(spoiled) }).toEqual({
      spoil: String(spoil),
      isExact: false,
    })
  }
})

test('never accepts a schema it cannot check', () => {
  for (const odd of [
    Type.Intersect([Thing, Type.Object({ more: Type.String() })]),
    Type.Object({}, { additionalProperties: Type.String() }),
    Type.Date(),
  ])
    expect(exactCheck(Type.Object({ data: odd }))({ data: { ...thing(), more: 'x' } })).toBe(false)
})

test('accepts only listed values, and unknown fields only where they are declared', () => {
  const isExact = exactCheck(
    Type.Object({
      state: Type.String({ enum: ['open', 'closed'] }),
      name: Type.Object({ full: Type.String() }, { additionalProperties: true }),
    }),
  )
  expect(isExact({ state: 'open', name: { full: 'Ana', first: 'Ana' } })).toBe(true)
  expect(isExact({ state: 'ajar', name: { full: 'Ana' } })).toBe(false)
  expect(isExact({ state: 'open', name: { first: 'Ana' } })).toBe(false)
})

test('checks an object with variants by the fields of its variant', () => {
  const message = withVariants(
    Type.Object({ type: Type.String(), content: Type.Unknown() }, { title: 'Message' }),
    'type',
    {
      text: { content: Type.Object({ text: Type.String() }) },
      place: { content: Type.Object({ latitude: Type.Number() }) },
    },
  )
  const isExact = exactCheck(Type.Object({ items: Type.Array(message) }))
  const [text, place] = [{ text: 'Hello' }, { latitude: 1.5 }]
  const isFine = (type: string, content: unknown): boolean =>
    isExact({ items: [{ type, content }] })
  expect([isFine('text', text), isFine('place', place)]).toEqual([true, true])
  expect([isFine('text', place), isFine('odd', text)]).toEqual([false, false])
  expect(isFine('text', { ...text, bold: true })).toBe(false)
})

test('reports and drops an undeclared response field', async () => {
  const app = new Elysia().get('/things', () => ({ data: { ...thing(), secret: 'x' } }) as never, {
    response: { 200: Type.Object({ data: Thing }) },
  })
  const told: string[] = []
  watchAnswers(app.routes, (route) => told.push(route))
  const response = await app.handle(new Request('http://localhost/things'))
  expect(await response.json()).toEqual({ data: thing() })
  expect(told).toEqual(['GET /things'])
})

test('fails a test world whose response has an undeclared field', async () => {
  const world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  for (const path of ['/api/me', '/api/users', '/api/roles', '/api/organizations/current']) {
    const { headers } = await admin.get(path)
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  world.program.http.log.debug({}, INEXACT)
  expect(await world.stop().catch(String)).toContain('not exactly what its route documents')
})
