/**
 * What a new feature must not forget. Part of `bun run check`, so that each gap is found in
 * seconds; every sentence names the file to edit.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { permissionsOfSystemRole } from '../src/modules/organization/roles/catalog'
import { CATALOG_CHANGES } from '../src/modules/organization/roles/catalog-migrations'
import { catalogueProblems } from './support/catalogue-history'
import type { Loose } from './support/client'
import { bodyObject, routesOf, takesId, type Route } from './support/routes'
import { hasStage } from './support/scenes'
import { World } from './support/world'

let world: World

beforeAll(async () => {
  world = await World.create({ tenants: 1 })
})

afterAll(() => world.stop())

describe('a route has its scene', () => {
  /** Routes without a documented example, which tests of their own call. */
  const CALLED_BY_THEIR_OWN = [
    'GET /api/analytics/unsubscribe/:token',
    'GET /api/custom-actions/redirect/:token',
    'GET /api/media/:id',
    'GET /api/media/signed/:token',
    'POST /api/analytics/unsubscribe/:token',
    'POST /api/flows/endpoint/:account_id',
  ]
  const needsStage = (route: Route): boolean =>
    route.path.startsWith('/api/') && takesId(route) && !CALLED_BY_THEIR_OWN.includes(route.label)

  /** A sentence for each route that the tests that walk all routes could not call. */
  const problems = (routes: Route[]): string[] => [
    ...routes
      .filter((route) => needsStage(route) && !hasStage(route))
      .map(
        ({ label }) =>
          `${label} takes an id and has no scene: add one to STAGES in tests/support/scenes.ts (or the file of its area beside it)`,
      ),
    ...routes
      .filter(
        (route) => bodyObject(route) !== null && !Array.isArray(bodyObject(route)?.['examples']),
      )
      .map(
        ({ label }) =>
          `the body of ${label} has no example: add \`examples\` to its schema in the model.ts of its module`,
      ),
  ]

  test('all of them', () => {
    expect(problems(routesOf(world))).toEqual([])
  })

  test('one without is named, with the file to edit', () => {
    const body = { anyOf: [{ type: 'object', properties: {} }] } as unknown as Route['body']
    const made: Route = {
      method: 'PUT',
      path: '/api/kites/:id',
      permission: 'contacts:read',
      body,
      label: 'PUT /api/kites/:id',
    }
    expect(problems([made])).toEqual([
      expect.stringContaining(
        'PUT /api/kites/:id takes an id and has no scene: add one to STAGES in tests/support/scenes.ts',
      ),
      expect.stringContaining('the body of PUT /api/kites/:id has no example'),
    ])
  })
})

describe('a change of the catalogue has its step', () => {
  const sets = () => ({
    admin: permissionsOfSystemRole('admin') as string[],
    manager: permissionsOfSystemRole('manager') as string[],
    agent: permissionsOfSystemRole('agent') as string[],
  })

  test('each role holds what the first release and the steps since say', () => {
    expect(catalogueProblems(sets(), CATALOG_CHANGES)).toEqual([])
  })

  test('one without is named, with the file to edit', () => {
    const { admin, manager, agent } = sets()
    const number = CATALOG_CHANGES.length + 1
    expect(
      catalogueProblems(
        { admin: [...admin, 'kites:fly'], manager, agent: agent.slice(1) },
        CATALOG_CHANGES,
      ),
    ).toEqual([
      `kites:fly is new for the role admin: add step ${number} to CATALOG_CHANGES in src/modules/organization/roles/catalog-migrations.ts, for example { number: ${number}, kind: 'add', pair: 'kites:fly', roles: ['admin'] }`,
      expect.stringMatching(
        / was taken from the role agent: add step \d+ to CATALOG_CHANGES in src\/modules\/organization\/roles\/catalog-migrations.ts/,
      ),
    ])
    expect(
      catalogueProblems({ admin: [...admin, 'kites:fly'], manager, agent }, [
        ...CATALOG_CHANGES,
        { number, kind: 'add', pair: 'kites:fly', roles: ['admin'] },
      ]),
    ).toEqual([])
  })
})

describe('a frame has the fields of what it tells of', () => {
  /**
   * Frames that carry a thing as the API shows it, the file they are made in, and which of its
   * fields sockets do not hear on purpose.
   */
  const FRAMES: Record<string, { file: string; leftOut: string[] }> = {
    'message:new': {
      file: 'src/modules/delivery/realtime/frames/message.ts',
      leftOut: [
        'received_at',
        'sent_at',
        'delivered_at',
        'read_at',
        'played_at',
        'failed_at',
        'error',
        'context',
        'referral',
        'reactions',
        'edited_at',
        'revoked_at',
        'preview',
        'warnings',
        'campaign_id',
        'template_name',
        'platform_template_id',
        'ai_model',
        'resend_of',
        'pricing',
        'cost',
        'created_at',
      ],
    },
    'conversation:updated': {
      file: 'src/modules/delivery/realtime/frames/conversation.ts',
      leftOut: [
        'last_inbound_at',
        'window_open',
        'first_response_at',
        'closed_at',
        'created_at',
        'updated_at',
        'first_referral',
        'last_referral',
        'free_entry_point_until',
        'cost_month',
      ],
    },
    'note:new': {
      file: 'src/modules/delivery/realtime/frames/conversation.ts',
      leftOut: ['mentions', 'pinned', 'created_by', 'created_by_name'],
    },
    'contact:new': { file: 'src/modules/delivery/realtime/frames/contact.ts', leftOut: [] },
  }

  /** A sentence for each field that is in an answer and in neither the frame nor the list. */
  const problems = (type: string, answer: Loose, payload: Loose): string[] =>
    Object.keys(answer)
      .filter((field) => !(field in payload) && !FRAMES[type]?.leftOut.includes(field))
      .map(
        (field) =>
          `${type} has no ${field}: add it in ${FRAMES[type]?.file}, or to \`leftOut\` in tests/features.test.ts if sockets are not to hear it`,
      )

  test('all of them', async () => {
    const [socket, admin] = [await world.socket('admin'), await world.as('admin')]
    const contact = await world.contactOf()
    const contactPath = `/api/contacts/${String(contact['id'])}`
    const { data: note } = await admin.post(`${contactPath}/notes`, { content: 'Call back' })
    const [conversation] = (await admin.get('/api/conversations')).data['items'] as Loose[]
    await admin.post(`/api/conversations/${String(conversation?.['id'])}/read`)
    await world.settle()
    await socket.caughtUp()
    const first = async (path: string): Promise<Loose> =>
      ((await admin.get(path)).data['items'] as Loose[])[0] as Loose
    const answers: Record<string, Loose> = {
      'message:new': await first(`${contactPath}/messages`),
      'conversation:updated': await first('/api/conversations'),
      'note:new': note,
      'contact:new': (await admin.get(contactPath)).data,
    }
    expect(Object.keys(answers)).toEqual(Object.keys(FRAMES))
    for (const [type, answer] of Object.entries(answers)) {
      const frame = socket.events(type).at(-1)
      expect({ type, isThere: frame !== undefined }).toEqual({ type, isThere: true })
      expect(problems(type, answer, frame?.payload ?? {})).toEqual([])
      const stale = FRAMES[type]?.leftOut.filter(
        (field) => !(field in answer) || field in (frame?.payload ?? {}),
      )
      expect({ type, stale }).toEqual({ type, stale: [] })
    }
  })

  test('a missing one is named, with the file to edit', () => {
    expect(problems('note:new', { id: '1', is_pinned: true }, { id: '1' })).toEqual([
      'note:new has no is_pinned: add it in src/modules/delivery/realtime/frames/conversation.ts, or to `leftOut` in tests/features.test.ts if sockets are not to hear it',
    ])
  })
})
