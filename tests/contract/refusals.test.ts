import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../../src/app'
import type { OpenApiDocument } from '../../src/http/openapi/document'
import { ERROR_CODES } from '../../src/http/error-codes'
import { Client, type Loose } from '../support/client'
import { untoldBy } from '../support/documented'
import { codesOf, responsesOf } from '../support/openapi'
import { codeOf, readSources } from '../support/sources'
import { World } from '../support/world'

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  document = await createApp(world.program).describe()
})

afterAll(() => world.stop())

const operations = (): [label: string, operation: Loose][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Loose] => [
      `${method.toUpperCase()} ${path}`,
      operation as Loose,
    ]),
  )

/** Every `status code` an operation tells of. */
const toldBy = (operation: Loose): string[] =>
  Object.keys(operation['responses'] as Loose).flatMap((status) =>
    codesOf(document, operation, status).map((code) => `${status} ${code}`),
  )

describe('the document describes every error code', () => {
  test('that the source can throw', () => {
    const thrown = readSources('src')
      .filter(({ path }) => /^src\/(?:modules|http|infra)\//.test(path))
      .flatMap((source) =>
        [...codeOf(source).matchAll(/\bcode: '([a-z][a-z_]+)'/g)].map(([, code = '']) => code),
      )
    expect(new Set(thrown).size).toBeGreaterThan(90)
    const words = JSON.stringify(document)
    expect([...new Set(thrown)].filter((code) => !words.includes(`\`${code}\``))).toEqual([])
  })

  test('that is a known error, at one operation at least', () => {
    const told = new Set(operations().flatMap(([, operation]) => toldBy(operation)))
    expect(Object.keys(ERROR_CODES).filter((refusal) => !told.has(refusal))).toEqual([])
    expect([...told].filter((refusal) => !(refusal in ERROR_CODES))).toEqual([])
  })

  test('in a sentence, under the status it comes with', () => {
    const mute = operations().flatMap(([label, operation]) =>
      responsesOf(document, operation).flatMap(([status, answer]) =>
        codesOf(document, operation, status)
          .filter((code) => !(answer['description'] as string).includes(`- \`${code}\`: `))
          .filter(
            (code) =>
              !((operation['description'] ?? '') as string).includes(`- ${status} \`${code}\`: `),
          )
          .map((code) => `${label} ${status} ${code}`),
      ),
    )
    expect(mute).toEqual([])
  })
})

describe('operations document their own errors', () => {
  const OWN: [label: string, ...refusals: string[]][] = [
    [
      'POST /api/auth/register',
      '400 invitation_invalid',
      '401 account_disabled',
      '401 two_factor_required',
      '401 two_factor_invalid',
      '403 invitation_required',
      '403 registration_closed',
      '403 invitation_email_mismatch',
      '403 membership_suspended',
      '404 not_found',
      '409 email_taken',
      '409 already_member',
      '429 too_many_failures',
    ],
    [
      'POST /api/auth/login',
      '401 invalid_credentials',
      '401 two_factor_invalid',
      '401 no_membership',
      '503 unavailable',
    ],
    ['POST /api/auth/refresh', '401 token_reused', '401 session_ended', '401 membership_ended'],
    ['POST /api/auth/switch-org', '403 not_a_member', '404 not_found'],
    ['POST /api/auth/ws-ticket', '401 invalid_api_key'],
    [
      'PUT /api/me',
      '400 wrong_password',
      '404 not_found',
      '409 email_taken',
      '429 too_many_failures',
    ],
    ['DELETE /api/me/organizations/{organization_id}', '404 not_found', '409 last_admin'],
    [
      'POST /api/me/invitations/accept',
      '400 invitation_invalid',
      '403 membership_suspended',
      '409 already_member',
    ],
    [
      'POST /api/organizations',
      '403 permission_denied',
      '403 super_admin_required',
      '403 session_required',
    ],
    ['POST /api/organizations/members', '403 escalation', '404 not_found', '409 already_member'],
    ['PUT /api/organizations/members/{member_id}', '400 own_record', '409 last_admin'],
    [
      'DELETE /api/organizations/members/{member_id}',
      '400 own_record',
      '403 escalation',
      '409 last_admin',
    ],
    [
      'POST /api/organizations/invitations',
      '403 escalation',
      '409 already_member',
      '409 registration_closed',
    ],
    ['DELETE /api/organizations/invitations/{id}', '404 not_found', '409 not_pending'],
    [
      'PUT /api/users/{id}',
      '400 own_record',
      '403 account_managed_elsewhere',
      '409 last_admin',
      '409 last_super_admin',
    ],
    ['DELETE /api/users/{id}', '400 own_record', '403 escalation', '409 last_admin'],
    [
      'PUT /api/roles/{id}',
      '400 default_role_too_powerful',
      '409 system_role',
      '409 default_role_required',
    ],
    ['DELETE /api/roles/{id}', '409 system_role', '409 role_in_use', '409 default_role_required'],
    [
      'GET /api/me',
      '401 key_owner_inactive',
      '401 invalid_api_key',
      '403 organization_mismatch',
      '404 not_found',
    ],
    [
      'POST /api/media',
      '400 content_mismatch',
      '400 malformed_multipart',
      '413 body_too_large',
      '415 unsupported_media_type',
    ],
    ['GET /api/media/{id}', '404 media_expired', '409 media_pending'],
    ['POST /api/contacts', '409 contact_exists', '409 idempotency_mismatch'],
    ['POST /api/contacts/{id}/messages', '400 window_closed', '429 queue_full'],
    ['POST /api/outbox/pause', '404 not_found'],
  ]
  for (const [label, ...refusals] of OWN)
    test(label, () => {
      const [, operation] = operations().find(([each]) => each === label) ?? []
      expect(operation && toldBy(operation)).toEqual(expect.arrayContaining(refusals))
    })

  test('and no errors that cannot happen to them', () => {
    const told = new Map(operations().map(([label, operation]) => [label, toldBy(operation)]))
    // The shared response for 409 has these, which name their reason, for every operation.
    const own = /^409 (?!moved|idempotency)/
    expect(
      told
        .get('DELETE /api/api-keys/{id}')
        ?.filter((refusal) => own.test(refusal) || refusal.startsWith('503 unavailable')),
    ).toEqual([])
    expect(
      told.get('POST /api/auth/logout')?.filter((refusal) => /^(?:401|403|404|409) /.test(refusal)),
    ).toEqual([])
    expect(told.get('PUT /api/me/settings')?.filter((refusal) => own.test(refusal))).toEqual([])
  })
})

test('X-Organization-ID is documented for every operation with a credential, and for no other', () => {
  const takesIt = (operation: Loose): boolean =>
    ((operation['parameters'] ?? []) as Loose[]).some(
      ({ $ref }) => $ref === '#/components/parameters/OrganizationId',
    )
  expect(
    operations().filter(
      ([, operation]) => takesIt(operation) === (operation['x-permission'] === 'public'),
    ),
  ).toEqual([])
  expect(document.components?.['parameters']).toMatchObject({
    OrganizationId: { name: 'X-Organization-ID', in: 'header' },
  })
})

describe('a response that is not in the document is detected', () => {
  const register = { method: 'POST', path: '/api/auth/register' }
  const cases: [
    what: string,
    request: { method: string; path: string },
    answer: { status: number; code?: string },
    isNoticed: boolean,
  ][] = [
    ['a code that is told', register, { status: 409, code: 'email_taken' }, false],
    ['a success that is told', register, { status: 201 }, false],
    ['another code', register, { status: 409, code: 'last_admin' }, true],
    ['another status', register, { status: 418 }, true],
    ['a code with another status', register, { status: 400, code: 'email_taken' }, true],
    [
      'of a path with an id and a query',
      { method: 'GET', path: '/api/contacts/x?y=1' },
      { status: 409, code: 'x' },
      true,
    ],
    [
      'of a word where an id could be',
      { method: 'GET', path: '/api/contacts/duplicates' },
      { status: 200 },
      false,
    ],
    ['what is no operation', { method: 'GET', path: '/elsewhere' }, { status: 418 }, false],
  ]
  for (const [what, request, answer, isNoticed] of cases)
    test(what, () => expect(untoldBy(request, answer) !== null).toBe(isNoticed))

  test('immediately, by every client of the tests', async () => {
    const teapot = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status: 418 }),
    })
    const asked = await new Client(`http://127.0.0.1:${teapot.port}`)
      .get('/api/tags')
      .catch((error: unknown) => String(error))
    await teapot.stop(true)
    expect(asked).toContain('GET /api/tags answered 418')
  })
})
