import { systemCtx, type Ctx, type Deps } from '../infra/ctx'
import { transact } from '../infra/db/transact'
import { addMemberIn } from '../modules/organization/memberships/service'
import { createOrganizationIn } from '../modules/organization/organizations/service'
import { createUserIn } from '../modules/organization/users/service'
import { Api } from './api'
import type { Business, Member } from './business'
import type { PastServer } from './past'

/** The password of everybody. */
export const PASSWORD = 'demo-password'

/** The time zone of both businesses. */
export const ZONE = 'Europe/Berlin'

/** The owner of both businesses, who also operates the server. */
export const OWNER: Member = { email: 'owner@demo.example', fullName: 'Alba Ruiz', role: 'admin' }

/** The tag of those who get the running campaign. */
export const NEWSLETTER = 'Newsletter'

/** The tag of those who got the finished one. */
export const REGULAR = 'Regular'

/** A business in the database. */
export interface Shop {
  business: Business
  organizationId: string
  accountId: string
  /** Its members in their order, then the owner. */
  userIds: string[]
  teamIds: string[]
  tagIds: Map<string, string>
}

/** Creates the organizations, their users and everything a business sets up once. */
export async function furnish(past: PastServer, businesses: readonly Business[]): Promise<Shop[]> {
  const ids = await addPeople(past, businesses)
  const owner = await new Api(past.url).signIn(OWNER.email, PASSWORD)
  await owner.post('/api/prices/import', { rows: PRICES })
  const shops: Shop[] = []
  for (const [index, business] of businesses.entries()) {
    const { organizationId = '', userIds = [] } = ids[index] ?? {}
    const own = index === 0 ? owner : await owner.within(organizationId)
    shops.push(await setUp(own, business, { organizationId, userIds }))
    await past.work()
  }
  return shops
}

/** Prices of a message, which are like those of the platform in 2026. */
const PRICES = ['2026-01-01', '2026-10-01'].flatMap((effective_from) =>
  [
    ['MARKETING', '0.1131'],
    ['UTILITY', '0.0456'],
  ].map(([category, price]) => ({
    country: '*',
    category,
    price,
    currency: 'EUR',
    effective_from,
  })),
)

async function addPeople(
  { program }: PastServer,
  businesses: readonly Business[],
): Promise<{ organizationId: string; userIds: string[] }[]> {
  const deps: Deps = program.http
  const passwordHash = await program.auth.hasher.hash(PASSWORD, { organizationId: null })
  return transact(deps.db, (tx) => {
    const organizations = businesses.map(({ name }) => createOrganizationIn(tx, deps, { name }))
    const [home] = organizations
    const addUser = ({ email, fullName }: Member, homeOrganizationId: string): string =>
      createUserIn(tx, deps, {
        ...{ email, fullName, passwordHash, homeOrganizationId, mustChangePassword: false },
        isSuperAdmin: email === OWNER.email,
      })
    const ownerId = addUser(OWNER, home?.id ?? '')
    return organizations.map(({ id, roleIds }, index) => {
      const ctx = systemCtx(deps, id)
      const join = (userId: string, { role }: Member, isDefault: boolean): string => {
        addMemberIn(tx, ctx, { userId, roleId: roleIds[role], isDefault })
        return userId
      }
      const members = businesses[index]?.members ?? []
      const userIds = members.map((member) => join(addUser(member, id), member, true))
      return { organizationId: id, userIds: [...userIds, join(ownerId, OWNER, index === 0)] }
    })
  })
}

async function setUp(
  owner: Api,
  business: Business,
  { organizationId, userIds }: Pick<Shop, 'organizationId' | 'userIds'>,
): Promise<Shop> {
  const { phone, profile, templates } = business
  await owner.put('/api/organizations/settings', {
    timezone: ZONE,
    default_country: 'DE',
  })
  await owner.put('/api/organizations/branding', { accent: business.accent })
  // What is left of them needs an address, mail and a disk, which a demo has not.
  await owner.put('/api/setup', { dismissed: true })
  const { id: accountId } = await owner.post<{ id: string }>('/api/accounts', {
    name: business.name,
    phone_id: phone.id,
    business_id: phone.wabaId,
    access_token: phone.token,
  })
  await owner.put(`/api/accounts/${accountId}/business_profile`, {
    ...{ about: profile.about, address: profile.address, description: profile.description },
    ...{ email: profile.email, websites: [profile.website] },
  })
  if (templates.length > 0) await owner.post('/api/templates/sync', { account_id: accountId })
  const teamIds: string[] = []
  for (const name of business.teams) {
    const { team } = await owner.post<{ team: { id: string } }>('/api/teams', {
      name,
      assignment_strategy: 'manual',
    })
    for (const user_id of userIds.slice(0, -1))
      await owner.post(`/api/teams/${team.id}/members`, { user_id })
    teamIds.push(team.id)
  }
  const tagIds = new Map<string, string>()
  for (const [name, color] of business.tags)
    tagIds.set(name, (await owner.post<{ id: string }>('/api/tags', { name, color })).id)
  for (const [name, shortcut, content] of business.cannedResponses)
    await owner.post('/api/canned-responses', { name, shortcut, content })
  await setUpBot(owner, business, teamIds[0] ?? '')
  return { business, organizationId, accountId, userIds, teamIds, tagIds }
}

const WORKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

async function setUpBot(owner: Api, business: Business, teamId: string): Promise<void> {
  const { flow, hours, rules } = business
  for (const [name, keywords, response] of rules)
    await owner.post('/api/chatbot/keywords', { name, keywords, response })
  const config = { body: flow.question, store_as: 'number', input: 'number' }
  await owner.post('/api/chatbot/flows', {
    name: flow.name,
    trigger_keywords: flow.keywords,
    enabled: true,
    graph: {
      version: 2,
      entry_node: 'ask',
      nodes: [
        { id: 'ask', type: 'prompt', config: { ...config, validation_error: flow.question } },
        {
          id: 'hand_over',
          type: 'transfer',
          config: { body: flow.thanks, team_id: teamId, notes: `${flow.name}: {{ number }}` },
        },
      ],
      edges: [{ from: 'ask', condition: 'default', to: 'hand_over' }],
    },
  })
  const [start_time, end_time] = hours
  await owner.put('/api/chatbot/settings', {
    debounce_seconds: 0,
    // Later: people answered alone for a while.
    chatbot_enabled: false,
    business_hours_enabled: true,
    // The demo is looked at by day and by night.
    allow_automated_outside_hours: true,
    business_hours: WORKDAYS.map((day) => ({ day, enabled: true, start_time, end_time })),
  })
}

/** Returns the context in which a member of a business does something. */
export function memberCtx(past: PastServer, shop: Shop, member: number): Ctx {
  const { members } = shop.business
  const ctx = systemCtx(past.program.http, shop.organizationId)
  const userName = members[member]?.fullName ?? OWNER.fullName
  return {
    ...ctx,
    actor: { ...ctx.actor, type: 'user', userId: shop.userIds[member] ?? null, userName },
  }
}
