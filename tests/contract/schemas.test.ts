import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createApp } from '../../src/app'
import type { OpenApiDocument } from '../../src/http/openapi/document'
import { CONTENTS } from '../../src/modules/inbox/messages/content/model'
import { PERMISSIONS } from '../../src/modules/organization/roles/catalog'
import type { Loose } from '../support/client'
import { exactCheck } from '../support/exact-schema'
import { resolve } from '../support/openapi'
import { World } from '../support/world'

type MessageKind = keyof typeof CONTENTS

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  document = await createApp(world.program).describe()
})
afterAll(() => world.stop())

const schemas = (): Record<string, Loose> => document.components?.schemas as Record<string, Loose>

/** Every body of the document that is JSON or a form, with its place. */
function bodies(): { at: string; schema: Loose }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Loose>).flatMap(([method, operation]) => {
      const answers = Object.entries(operation['responses'] as Record<string, Loose>)
      const all: [string, Loose | undefined][] = [
        ['body', operation['requestBody'] as Loose | undefined],
        ...answers.map(
          ([status, answer]) => [status, resolve(document, answer)] as [string, Loose],
        ),
      ]
      return all.flatMap(([place, body]) =>
        Object.entries((body?.['content'] ?? {}) as Record<string, Loose>)
          .filter(([type]) => /^(?:application\/json|multipart\/form-data)$/.test(type))
          .map(([type, { schema }]) => ({
            at: `${method} ${path} ${place} ${type}`,
            schema: schema as Loose,
          })),
      )
    }),
  )
}

/** Every field of every named schema, with its place; of nullable ones the part that is not null. */
function fields(): { at: string; name: string; schema: Loose }[] {
  const found: { at: string; name: string; schema: Loose }[] = []
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value as Loose)) {
      if (['example', 'examples', 'default', 'enum', 'discriminator'].includes(key)) continue
      if (key === 'properties')
        for (const [name, schema] of Object.entries(inner as Record<string, Loose>)) {
          const options = (schema['anyOf'] ?? [schema]) as Loose[]
          for (const option of options)
            if (option['type'] !== 'null') found.push({ at: `${at}.${name}`, name, schema: option })
          walk(schema, `${at}.${name}`)
        }
      else walk(inner, at)
    }
  }
  for (const [title, schema] of Object.entries(schemas())) walk(schema, title)
  return found
}

/** The values of a field as the document lists them, of a schema by name. */
function valuesOf(place: string): string[] {
  const listed = fields().filter(({ at, schema }) => at === place && schema['enum'] !== undefined)
  return listed
    .flatMap(({ schema }) => schema['enum'] as (string | null)[])
    .filter((value) => value !== null)
    .toSorted()
}

test('every JSON body and every form has a named schema', () => {
  const found = bodies()
  expect(found.length).toBeGreaterThan(300)
  expect(found.filter(({ schema }) => schema['$ref'] === undefined).map(({ at }) => at)).toEqual([])
})

test.each<[place: string, values: string]>([
  ['TextMessage.direction', 'incoming outgoing'],
  ['TextMessage.status', 'pending sent delivered read failed unknown'],
  [
    'TextMessage.source',
    'contact agent api chatbot campaign phone_app platform_agent other_app system',
  ],
  ['MessageMedia.state', 'pending ready failed expired'],
  ['Account.status', 'pending active disconnected suspended'],
  ['Account.quality_rating', 'GREEN YELLOW RED UNKNOWN'],
  ['Account.throughput_level', 'STANDARD HIGH COEXISTENCE'],
  ['AccountHealth.status', 'pending active disconnected suspended'],
  ['AccountTest.can_send', 'AVAILABLE LIMITED BLOCKED'],
  ['Flow.health.can_send', 'AVAILABLE LIMITED BLOCKED'],
  ['Conversation.state', 'open pending snoozed closed'],
  ['Contact.marketing_consent', 'unknown opted_in opted_out'],
  ['Template.category', 'MARKETING UTILITY AUTHENTICATION'],
  ['Template.quality', 'GREEN YELLOW RED UNKNOWN'],
  ['Template.parameter_format', 'positional named'],
  ['SystemContent.event', 'number_changed user_id_changed identity_changed handover other'],
  ['Notification.severity', 'info warning critical'],
])('%s lists the values of the contract', (place, values) => {
  expect(valuesOf(place)).toEqual(values.split(' ').toSorted())
})

test('permissions and actions of the audit log are listed once and named', () => {
  const places = ['ApiKey', 'ApiKeyInput', 'Me', 'RoleInput', 'RoleChanges']
  for (const title of places)
    expect({ title, items: schemas()[title]?.['properties']['permissions']['items'] }).toEqual({
      ...{ title, items: { $ref: '#/components/schemas/PermissionKey' } },
    })
  expect(schemas()['PermissionKey']?.['enum']).toEqual([...PERMISSIONS])
  const actions = valuesOf('AuditEntry.action')
  for (const action of ['created', 'signed_in', 'two_factor_enabled', 'key_taken_over', 'exported'])
    expect(actions).toContain(action)
})

test('every example of a message fits the schema of its type', () => {
  const found: Loose[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const it = value as Loose
    if (it['direction'] !== undefined && 'content' in it && 'type' in it) found.push(it)
    Object.values(it).forEach(walk)
  }
  walk(document)
  const examples = found.filter(({ type }) => typeof type === 'string' && type !== 'object')
  expect(examples.length).toBeGreaterThan(3)
  for (const { type, content } of examples)
    expect({ type, content, isExact: exactCheck(CONTENTS[type as MessageKind])(content) }).toEqual({
      ...{ type, content, isExact: true },
    })
})

test.each([
  ['Message', 'type', 13],
  ['RenderedMessage', 'type', 13],
  ['MessageInput', 'type', 10],
  ['DirectMessageInput', 'type', 10],
  ['InteractiveInput', 'type', 16],
  ['InteractiveContent', 'kind', 23],
  ['ClientFrame', 'type', 8],
  ['ServerFrame', 'type', 41],
])('%s is one named schema for each %s', (title, by, count) => {
  const { oneOf, discriminator } = schemas()[title] as Loose
  const variants = oneOf as { $ref: string }[]
  expect(variants).toHaveLength(count)
  expect(discriminator['propertyName']).toBe(by)
  expect(Object.values(discriminator['mapping'] as Record<string, string>)).toEqual(
    variants.map(({ $ref }) => $ref),
  )
  for (const [value, $ref] of Object.entries(discriminator['mapping'] as Record<string, string>)) {
    const variant = resolve(document, { $ref })
    const own = ((variant['allOf'] ?? [variant]) as Loose[]).at(-1) as Loose
    expect({ $ref, value: own['properties'][by]['const'] as string }).toEqual({ $ref, value })
    expect(own['required']).toContain(by)
  }
})

/**
 * The names that generators give to schemas without one: that of the schema around it and of its
 * field, or `Item`.
 */
function inlineNames(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const pascal = (name: string): string =>
    name.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase())
  const needsName = ({ type, ...schema }: Loose): boolean =>
    schema['properties'] !== undefined ||
    ['enum', 'anyOf', 'oneOf', 'allOf'].some((word) => word in schema) ||
    Array.isArray(type)
  const walk = (schema: Loose, name: string, at: string): void => {
    const inner: [string, string, Loose][] = Object.entries(
      (schema['properties'] ?? {}) as Record<string, Loose>,
    ).map(([key, one]) => [`${name}${pascal(key)}`, `${at}.${key}`, one])
    const items = schema['items'] as Loose | undefined
    if (items) inner.push([`${name}Item`, `${at}[]`, items])
    for (const [own, place, one] of inner) {
      if (needsName(one)) found.set(own, (found.get(own) ?? new Set()).add(place))
      walk(one, own, place)
    }
    for (const word of ['anyOf', 'oneOf', 'allOf'])
      for (const one of (schema[word] ?? []) as Loose[]) walk(one, name, at)
  }
  for (const [name, schema] of Object.entries(schemas())) walk(schema, name, name)
  return found
}

test('no generator gives two schemas one name, or a name that it needs itself', () => {
  const names = inlineNames()
  expect(names.size).toBeGreaterThan(100)
  const twice = [...names].filter(([name, places]) => places.size > 1 || name in schemas())
  expect(twice.map(([name, places]) => [name, ...places])).toEqual([])
  const ofOperations = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => {
      const id = String(operationId)
      const base = id.charAt(0).toUpperCase() + id.slice(1)
      return ['Params', 'Body', 'JSONBody', 'Result', 'Response', 'Data', 'Error'].map(
        (word) => base + word,
      )
    }),
  )
  expect(ofOperations.filter((name) => name in schemas())).toEqual([])
  expect(Object.keys(schemas()).filter((name) => /^New[A-Z]/.test(name))).toEqual([]) // Go's constructors
  const parameters = (document.components?.['parameters'] ?? {}) as object
  expect(Object.keys(parameters).filter((name) => name in schemas())).toEqual([])
})

test('what may be null says so in its type, and a choice of words is one list', () => {
  const found: string[] = []
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { anyOf } = value as { anyOf?: Loose[] }
    if (Array.isArray(anyOf)) {
      const types = anyOf.filter(
        (one) => !('$ref' in one) && one['type'] !== 'null' && one['type'] !== 'object',
      )
      if (anyOf.length === 2 && types.length === 1 && anyOf.some(({ type }) => type === 'null'))
        found.push(at)
      if (anyOf.filter((one) => 'const' in one).length > 1) found.push(at)
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, `${at}.${key}`)
  }
  walk(document, '')
  expect(found).toEqual([])
})

test('no object lists types, and no ID that may be null has a pattern', () => {
  // generators lose the fields of such an object, and check the pattern of `null`
  const found: string[] = []
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, format, properties, pattern } = value as Loose
    if (Array.isArray(type) && (properties !== undefined || (format === 'uuid' && pattern)))
      found.push(at)
    for (const [key, inner] of Object.entries(value)) walk(inner, `${at}.${key}`)
  }
  walk(document, '')
  expect(found).toEqual([])
  const ids = fields().filter(({ schema }) => schema['format'] === 'uuid')
  expect(ids.filter(({ schema }) => Array.isArray(schema['type'])).length).toBeGreaterThan(100)
  expect(ids.some(({ schema }) => schema['pattern'] !== undefined)).toBe(true)
})

/** Fields of these names that hold words of the platform, of people or of any feature. */
const OPEN = new Set([
  'EntryPoints.username.status', // the platform's
  'MessageFact.status',
  'Template.status',
  'ServerTemplateUpdatedFrame.payload.status',
  'TemplateUpdatedEvent.data.status',
])

test('no field with a fixed set of values is a bare string', () => {
  const FIXED = /^(?:status|direction|severity|priority|color|quality|quality_rating|stage)$/
  const bare = fields().filter(
    ({ at, name, schema }) =>
      FIXED.test(name) &&
      schema['type'] === 'string' &&
      schema['enum'] === undefined &&
      schema['const'] === undefined &&
      !OPEN.has(at),
  )
  expect(bare.map(({ at }) => at)).toEqual([])
})

test('texts state limits of their own, not a larger one beside a private format', () => {
  const formats = new Set(fields().map(({ schema }) => schema['format'] as string | undefined))
  expect([...formats].filter((format) => format?.match(/^(?:name|line|full)-/))).toEqual([])
  const limitOf = (place: string): unknown =>
    fields().find(({ at, schema }) => at === place && schema['maxLength'] !== undefined)?.schema[
      'maxLength'
    ]
  expect({
    tag: limitOf('TagInput.name'),
    template: limitOf('TemplateInput.name'),
    account: limitOf('AccountInput.name'),
    contact: limitOf('ContactInput.name'),
    email: limitOf('UserInput.email'),
    password: limitOf('UserInput.password'),
    button: limitOf('CtaUrlInteractiveInput.button_text'),
  }).toEqual({
    tag: 50,
    template: 512,
    account: 100,
    contact: 255,
    email: 254,
    password: 256,
    button: 20,
  })
})
