import { SAMPLES } from '../../src/simulator/sample-files'
import type { Client, Loose } from './client'
import { personWith } from './people'
import { exampleOf, pathOf, type Route } from './routes'
import { AI_STAGES } from './scenes-ai'
import { ANALYTICS_SETTINGS, ANALYTICS_STAGES } from './scenes-analytics'
import { BOT_STAGES } from './scenes-bots'
import { CAMPAIGN_STAGES } from './scenes-campaigns'
import { CHATBOT_STAGES } from './scenes-chatbot'
import { IMPORT_STAGES } from './scenes-imports'
import { INBOX_STAGES } from './scenes-inbox'
import { SIGNUP_SETTINGS, SIGNUP_STAGES } from './scenes-signup'
import { TEAM_STAGES } from './scenes-teams'
import { TRANSFER_STAGES } from './scenes-transfers'
import { WEBHOOK_STAGES } from './scenes-webhooks'
import { codeOf, switchOn } from './second-factor'
import { sendForm } from './sending'
import { PASSWORD, World } from './world'

/**
 * The data that the documented example of a route needs, and the values that are not known
 * beforehand.
 */
export interface Stage {
  /** The caller; the admin by default. */
  client?: Client
  /** The id in the path, or all of them in their order. */
  id?: string
  ids?: string[]
  /**
   * Fields whose values only a running server knows: IDs, tokens, codes, and the caller's password.
   */
  body?: Loose
  query?: string
  headers?: Record<string, string>
}

type Prepare = (world: World) => Promise<Stage> | Stage

const contact = async (world: World): Promise<string> => (await world.contactOf())['id'] as string
const firstOf = async (client: Client, path: string): Promise<string> =>
  ((await client.get(path)).data['items'] as Loose[])[0]?.['id'] as string
const made = async (client: Client, path: string, body: Loose): Promise<Loose> =>
  (await client.post(path, body)).data

/** A user outside of the first tenant. */
const outsider = (world: World): Promise<Client> => world.as('agent', world.other)

async function invitation(world: World): Promise<{ id: string; token: string }> {
  const { id, token } = await made(await world.as('admin'), '/api/organizations/invitations', {
    email: null,
  })
  return { id: String(id), token: String(token) }
}

/** A user with two-factor authentication, and a valid code. */
async function withSecondFactor(world: World): Promise<Stage> {
  const { client } = await personWith(world, [])
  const { secret } = await switchOn(world, client)
  return { client, body: { current_password: PASSWORD, code: codeOf(world, secret) } }
}

/** Where somebody is signed in. */
async function sessionOfPerson(world: World): Promise<Stage> {
  const { userId } = await personWith(world, [])
  const client = await world.as('admin')
  return { client, ids: [userId, await firstOf(client, `/api/users/${userId}/sessions`)] }
}

/** The other organization, and a super admin who may delete it. */
async function deletable(world: World): Promise<Stage> {
  const { id } = world.other
  const [row] = world.rows('select slug from organizations where id = ?', id)
  return { client: await world.as('super'), id, body: { confirm: String(row?.['slug']) } }
}

async function deletedOrganization(world: World): Promise<Stage> {
  const { client = world.anyone, id = '', body } = await deletable(world)
  await client.request('DELETE', `/api/organizations/${id}`, body)
  return { client, id }
}

async function archive(world: World): Promise<Stage> {
  const { id } = world.tenant
  const { data } = await (await world.as('admin')).post(`/api/organizations/${id}/archive`, {})
  await world.settle()
  return { ids: [id, String(data['id'])] }
}

async function waitingJob(world: World): Promise<Stage> {
  const id = await contact(world)
  const admin = await world.as('admin')
  await admin.post(`/api/contacts/${id}/messages`, { type: 'text', text: 'waits for its job' })
  return { id: await firstOf(admin, '/api/jobs?state=available') }
}

async function endedJob(world: World): Promise<Stage> {
  const stage = await waitingJob(world)
  await (await world.as('admin')).post(`/api/jobs/${stage.id}/discard`)
  return stage
}

async function erasable(world: World): Promise<Stage> {
  const id = await contact(world)
  return { id, body: { confirm: id } }
}

async function privacyFile(world: World): Promise<Stage> {
  const { id } = await made(
    await world.as('admin'),
    `/api/contacts/${await contact(world)}/privacy-export`,
    {},
  )
  await world.settle()
  return { id: String(id) }
}

async function finishedBackup(world: World): Promise<Stage> {
  const client = await world.as('super')
  const { id } = await made(client, '/api/admin/backups', { verify: false })
  await world.settle()
  return { client, id: String(id) }
}

const key = async (world: World): Promise<Stage> => ({
  id: String(
    (
      await made(await world.as('admin'), '/api/api-keys', {
        name: 'Till',
        permissions: ['tags:read'],
      })
    )['id'],
  ),
})
const role = async (world: World): Promise<Stage> => ({
  id: String(
    (await made(await world.as('admin'), '/api/roles', { name: 'Guest', permissions: [] }))['id'],
  ),
})
const event = async (world: World): Promise<Stage> => {
  await contact(world)
  return { id: await firstOf(await world.as('admin'), '/api/inbound/events') }
}
const refreshToken = async (world: World): Promise<Stage> => {
  const { data } = await world.anyone.post('/api/auth/login', {
    email: world.emailOf('agent', world.tenant),
    password: PASSWORD,
  })
  return { client: world.anyone, body: { refresh_token: data['refresh_token'] } }
}
const agent = (world: World): Stage => ({ id: world.tenant.userIds.agent })
const conversation = async (world: World): Promise<Stage> => {
  await contact(world)
  return { id: await firstOf(await world.as('admin'), '/api/conversations') }
}
const sharedConversation = async (world: World): Promise<Stage> => {
  world.simulator.shareNumber({ phone: world.tenant.phoneId })
  return await conversation(world)
}
const ofContact = async (world: World): Promise<Stage> => ({ id: await contact(world) })

/** By route. Routes that are not listed need only the admin. */
const STAGES: Record<string, Prepare> = {
  ...IMPORT_STAGES,
  ...INBOX_STAGES,
  ...TEAM_STAGES,
  ...AI_STAGES,
  ...ANALYTICS_STAGES,
  ...BOT_STAGES,
  ...TRANSFER_STAGES,
  ...WEBHOOK_STAGES,
  ...CAMPAIGN_STAGES,
  ...CHATBOT_STAGES,
  'GET /metrics': (world) => ({
    client: world.anyone.with({ authorization: `Bearer ${METRICS_TOKEN}` }),
  }),
  'POST /api/accounts': async (world) => {
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    return { body: { access_token: world.tenant.token } }
  },
  'GET /api/accounts/:id/business_profile/photo': async (world) => {
    const id = world.tenant.accountId ?? ''
    const file = { name: 'shop.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
    await sendForm(await world.as('admin'), `/api/accounts/${id}/business_profile/photo`, {}, file)
    return { id }
  },
  'GET /api/accounts/:id': (world) => ({ id: world.tenant.accountId ?? '' }),
  'PUT /api/accounts/:id': (world) => ({ id: world.tenant.accountId ?? '' }),
  'DELETE /api/accounts/:id': (world) => ({ id: world.tenant.accountId ?? '' }),
  ...Object.fromEntries(
    [
      'POST /api/accounts/:id/test',
      'POST /api/accounts/:id/subscribe',
      'DELETE /api/accounts/:id/subscribe',
      'POST /api/accounts/:id/register',
      'GET /api/accounts/:id/webhook-config',
      'POST /api/accounts/:id/verify-token',
      'POST /api/accounts/:id/resume',
      'GET /api/accounts/:id/health',
      'GET /api/accounts/:id/routing',
      'GET /api/accounts/:id/business_profile',
      'PUT /api/accounts/:id/business_profile',
      'POST /api/accounts/:id/business_profile/photo',
      'GET /api/accounts/:id/calling',
      'PUT /api/accounts/:id/calling',
      'GET /api/accounts/:id/entry-points',
      'PUT /api/accounts/:id/entry-points',
      'GET /api/accounts/:id/flow-key',
      'POST /api/accounts/:id/flow-key',
    ].map((label): [string, Prepare] => [label, (world) => ({ id: world.tenant.accountId ?? '' })]),
  ),
  'DELETE /api/chatbot/settings': async (world) => {
    const query = `?account_id=${world.tenant.accountId}`
    await (await world.as('admin')).put(`/api/chatbot/settings${query}`, { debounce_seconds: 0 })
    return { query }
  },
  ...SIGNUP_STAGES,
  'GET /api/api-keys/:id': key,
  'PUT /api/api-keys/:id': key,
  'DELETE /api/api-keys/:id': key,
  'POST /api/api-keys/:id/take-over': key,
  'GET /api/audit-logs/:id': async (world) => ({
    id: await firstOf(await world.as('admin'), '/api/audit-logs'),
  }),
  'POST /api/auth/invitations/preview': async (world) => ({
    client: world.anyone,
    body: { token: (await invitation(world)).token },
  }),
  'POST /api/auth/login': async (world) => {
    const admin = await world.as('admin')
    const example = {
      email: 'admin@switchboard.local',
      password: 'correct horse battery staple',
      full_name: 'Admin',
    }
    await admin.post('/api/users', example)
    return { client: world.anyone }
  },
  'POST /api/auth/logout': refreshToken,
  'POST /api/auth/password/forgot': (world) => ({ client: world.anyone }),
  'POST /api/auth/password/reset': async (world) => {
    const link = await made(
      await world.as('admin'),
      `/api/users/${world.tenant.userIds.agent}/password-reset`,
      {},
    )
    return { client: world.anyone, body: { token: String(link['reset_url']).split('#token=')[1] } }
  },
  'POST /api/auth/refresh': refreshToken,
  'POST /api/auth/register': (world) => ({
    client: world.anyone,
    body: { organization_id: world.tenant.id },
  }),
  'POST /api/auth/switch-org': (world) => ({ body: { organization_id: world.tenant.id } }),
  'GET /api/contacts/:id': ofContact,
  'PUT /api/contacts/:id/assign': async (world) => ({
    id: await contact(world),
    body: { user_id: world.tenant.userIds.agent },
  }),
  'GET /api/contacts/:id/messages': ofContact,
  'POST /api/contacts/:id/messages': ofContact,
  'POST /api/contacts/:id/mark-read': ofContact,
  'POST /api/conversations': async (world) => ({
    body: {
      contact_id: String(
        (await made(await world.as('admin'), '/api/contacts', { phone_number: '+1 555 010 4321' }))[
          'id'
        ],
      ),
    },
  }),
  'GET /api/conversations/:id': conversation,
  'PUT /api/conversations/:id': conversation,
  'PUT /api/conversations/:id/assign': async (world) => ({
    ...(await conversation(world)),
    body: { user_id: world.tenant.userIds.agent },
  }),
  'PUT /api/conversations/:id/owner': async (world) => ({
    ...(await conversation(world)),
    body: { to: 'user', id: world.tenant.userIds.agent },
  }),
  'POST /api/conversations/:id/claim': conversation,
  'POST /api/conversations/:id/thread': sharedConversation,
  'GET /api/conversations/:id/messages': conversation,
  'GET /api/conversations/:id/timeline': conversation,
  'GET /api/conversations/:id/transcript': conversation,
  'POST /api/conversations/:id/messages': conversation,
  'POST /api/conversations/:id/read': conversation,
  'POST /api/conversations/:id/release': conversation,
  'POST /api/conversations/:id/snooze': conversation,
  'POST /api/conversations/:id/typing': conversation,
  'POST /api/conversations/:id/unread': conversation,
  'GET /api/inbound/events/:id': event,
  'POST /api/inbound/events/:id/replay': event,
  'POST /api/inbound/replay': async (world) => ({ client: await world.as('super') }),
  'POST /api/contacts/:id/erase': erasable,
  'POST /api/contacts/:id/privacy-export': async (world) => ({ id: await contact(world) }),
  'GET /api/privacy/requests/:id': privacyFile,
  'GET /api/privacy/requests/:id/download': privacyFile,
  'GET /api/admin/info': async (world) => ({ client: await world.as('super') }),
  'GET /api/admin/health': async (world) => ({ client: await world.as('super') }),
  'GET /api/admin/attention': async (world) => ({ client: await world.as('super') }),
  'GET /api/admin/figures': async (world) => ({ client: await world.as('super') }),
  'GET /api/admin/backups': async (world) => ({ client: await world.as('super') }),
  'POST /api/admin/backups': async (world) => ({ client: await world.as('super') }),
  'GET /api/admin/backups/:id': finishedBackup,
  'DELETE /api/admin/backups/:id': finishedBackup,
  'POST /api/admin/backups/:id/verify': finishedBackup,
  'GET /api/admin/backups/:id/download': finishedBackup,
  'GET /api/jobs/:id': waitingJob,
  'GET /api/jobs/schedule': async (world) => ({ client: await world.as('super') }),
  'POST /api/jobs/:id/discard': waitingJob,
  'POST /api/jobs/:id/retry': endedJob,
  'POST /api/me/2fa/backup-codes': withSecondFactor,
  'POST /api/me/2fa/disable': withSecondFactor,
  'POST /api/me/2fa/enable': async (world) => {
    const admin = await world.as('admin')
    const setup = await made(admin, '/api/me/2fa/setup', { current_password: PASSWORD })
    return { client: admin, body: { code: codeOf(world, String(setup['secret'])) } }
  },
  'POST /api/me/invitations/accept': async (world) => ({
    client: await outsider(world),
    body: { token: (await invitation(world)).token },
  }),
  'DELETE /api/me/organizations/:organization_id': async (world) => ({
    client: await world.as('agent'),
    id: world.tenant.id,
  }),
  'GET /api/me/sessions/:id': async (world) => ({
    id: await firstOf(await world.as('admin'), '/api/me/sessions'),
  }),
  'DELETE /api/me/sessions/:id': async (world) => ({
    id: await firstOf(await world.as('admin'), '/api/me/sessions'),
  }),
  'GET /api/messages/:id': async (world) => {
    const id = await contact(world)
    return { id: await firstOf(await world.as('admin'), `/api/contacts/${id}/messages`) }
  },
  'PUT /api/messages/:id/read': async (world) => ({
    id: await firstOf(await world.as('admin'), `/api/contacts/${await contact(world)}/messages`),
  }),
  'POST /api/messages': async (world) => {
    await contact(world)
    return {}
  },
  'POST /api/messages/media': async (world) => {
    await contact(world)
    const file = { name: 'receipt.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
    const { data } = await sendForm(await world.as('admin'), '/api/media', {}, file)
    return { body: { media_id: data['id'] as string } }
  },
  'POST /api/organizations/:id/archive': (world) => ({ id: world.tenant.id }),
  'GET /api/organizations/:id/archives': (world) => ({ id: world.tenant.id }),
  'GET /api/organizations/:id/archives/:archive_id': archive,
  'GET /api/organizations/:id/archives/:archive_id/download': archive,
  'DELETE /api/organizations/:id': deletable,
  'POST /api/organizations/:id/restore': deletedOrganization,
  'DELETE /api/organizations/invitations/:id': async (world) => ({
    id: (await invitation(world)).id,
  }),
  'POST /api/organizations/members': async (world) => {
    const example = { email: 'jane@example.com', password: PASSWORD, full_name: 'Jane' }
    await (await world.as('admin', world.other)).post('/api/users', example)
    return {}
  },
  'PUT /api/organizations/members/:member_id': (world) => ({
    ...agent(world),
    body: { role_id: world.tenant.roleIds.manager },
  }),
  'DELETE /api/organizations/members/:member_id': agent,
  'GET /api/roles/:id': role,
  'PUT /api/roles/:id': role,
  'DELETE /api/roles/:id': role,
  'GET /api/colleagues/:id': agent,
  'GET /api/users/:id': agent,
  'PUT /api/users/:id': agent,
  'DELETE /api/users/:id': agent,
  'POST /api/users/:id/2fa/reset': agent,
  'PUT /api/users/:id/availability': agent,
  'POST /api/users/:id/password-reset': agent,
  'DELETE /api/users/:id/sessions': agent,
  'GET /api/users/:id/sessions': agent,
  'DELETE /api/users/:id/sessions/:session_id': sessionOfPerson,
}

const METRICS_TOKEN = 'token-of-the-metrics'

/** Settings that some routes need. No mail is sent; it waits as a job. */
const SETTINGS: Record<string, Record<string, string>> = {
  ...SIGNUP_SETTINGS,
  'GET /metrics': { METRICS_TOKEN },
  'POST /api/auth/password/forgot': { SMTP_URL: 'smtp://127.0.0.1:9' },
  ...ANALYTICS_SETTINGS,
  'GET /api/accounts/:id/business_profile/photo': { EGRESS_ALLOW: '127.0.0.1' },
  'GET /api/push/key': { BASE_URL: 'https://chat.example.com' },
  'POST /api/push/subscriptions': { BASE_URL: 'https://chat.example.com' },
  'DELETE /api/push/subscriptions': { BASE_URL: 'https://chat.example.com' },
}

/** A world in which the documented example of a route can be sent, and that request. */
export interface Scene {
  world: World
  client: Client
  path: string
  /** `undefined` if the route has no body. */
  body: Loose | undefined
}

/** Prepares the data for the documented example of a route in a world that exists already. */
export const stageIn = async (world: World, label: string): Promise<Stage> =>
  (await STAGES[label]?.(world)) ?? {}

/** Whether the data for a route is prepared here. */
export const hasStage = ({ label }: Pick<Route, 'label'>): boolean => label in STAGES

/** Creates the world for the documented example of one route. It can be sent once. */
export async function sceneOf(route: Route, given?: World): Promise<Scene> {
  const world = given ?? (await World.create({ env: SETTINGS[route.label] ?? {} }))
  const stage: Stage = (await STAGES[route.label]?.(world)) ?? {}
  const { id, ids = id === undefined ? [] : [id], body = {} } = stage
  const example = route.body === null ? undefined : exampleOf(route)
  const unknown = Object.keys(body).filter((field) => example?.[field] === undefined)
  if (unknown.length > 0)
    throw new Error(`the example of ${route.label} has no ${unknown.join(', ')}`)
  return {
    world,
    client: stage.client ?? (await world.as('admin')),
    path: pathOf(route, ...ids) + (stage.query ?? ''),
    body: example && { ...example, ...body },
  }
}

/** Whether a route only reads, and its example needs nothing but a world: such routes share one. */
export const isPlainRead = ({ method, label }: Route): boolean =>
  method === 'GET' && !hasStage({ label }) && !(label in SETTINGS)
