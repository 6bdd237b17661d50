/**
 * `bun run demo` (or `bun run demo cells`, two servers that share the work): starts the real server with a simulated platform and active customers in two
 * organizations. Uses a temporary data folder. Prints URLs, logins and a command for each step.
 * Listens on localhost only, because the passwords are public.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../../src/config'
import { systemCtx, type Deps } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { addMemberIn } from '../../src/modules/organization/memberships/service'
import {
  createOrganizationIn,
  findOldestOrganization,
} from '../../src/modules/organization/organizations/service'
import type { SystemRole } from '../../src/modules/organization/roles/catalog'
import { findSystemRole } from '../../src/modules/organization/roles/service'
import { createUserIn } from '../../src/modules/organization/users/service'
import { ListenError } from '../../src/listen'
import type { RunningServer } from '../../src/run-program'
import { startServer } from '../../src/server'
import { stopOnSignal } from '../../src/stop-on-signal'
import { SIMULATED_APP } from '../../src/simulator/administration'
import type { Customer } from '../../src/simulator/customers'
import { DemoReceiver } from './demo-receiver'
import { startCells } from './demo-cells'
import { demoText } from './demo-text'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { SIGNUP_CONFIG } from '../../src/simulator/signup-dialog'

/** A user of the demo. The email is the login `@` the domain of the business. */
interface Person {
  login: string
  role: SystemRole
  fullName: string
}

/** One organization of the demo. */
interface Business {
  name: string
  domain: string
  /** An admin, a manager and two agents. */
  people: Person[]
  /** The name of the team of both agents. */
  team: string
  /**
   * Its customers. The first two are assigned to the first agent, the third one to the team; the
   * others wait in the general queue.
   */
  customers: string[]
}

/** Returns the users of a business, by the names of admin, manager and agents. */
const peopleOf = (admin: string, manager: string, ...agents: [string, string]): Person[] => [
  { login: 'admin', role: 'admin', fullName: admin },
  { login: 'manager', role: 'manager', fullName: manager },
  { login: 'agent', role: 'agent', fullName: agents[0] },
  { login: 'agent2', role: 'agent', fullName: agents[1] },
]

const PASSWORD = 'demo-password'
const APP_SECRET = 'demo-app-secret'
const SUPER_ADMIN = 'super@demo.example'
const BUSINESSES: [Business, Business] = [
  {
    name: 'Sunrise Bakery',
    domain: 'bakery.example',
    people: peopleOf('Alba Ruiz', 'Marc Dupont', 'Greta Lind', 'Tom Weber'),
    team: 'Counter',
    customers: ['Ana Sol', 'Leo Brandt', 'Zoë Müller', 'Mei Chen'],
  },
  {
    name: 'Harbor Bikes',
    domain: 'bikes.example',
    people: peopleOf('Aziz Noor', 'Mona Berg', 'Gil Santos', 'Pia Holm'),
    team: 'Workshop',
    customers: ['Omar Haddad', 'Ivy Stone', 'Luís Prado'],
  },
]
const EVERY_MS = 1_500
const ARRIVAL_MS = 10_000
/** How long a review of a template takes; the platform's own takes minutes to a day. */
const REVIEW_MS = 10_000

type Item = { id: string; display_name: string | null }

/** Calls the API. Throws with the server's error message. */
async function call<T>(
  at: { url: string; token?: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(at.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(at.token === undefined ? {} : { authorization: `Bearer ${at.token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { data: T; message?: string }
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.message}`)
  return answer.data
}

/**
 * Adds the second organization, and the users of both. The first start created the first one.
 */
async function addPeople({ program }: RunningServer): Promise<void> {
  const deps: Deps = program.http
  const passwordHash = await program.auth.hasher.hash(PASSWORD, { organizationId: null })
  transact(deps.db, (tx) => {
    for (const business of BUSINESSES) {
      const isFirst = business === BUSINESSES[0]
      const organizationId = isFirst
        ? findOldestOrganization(deps)?.id
        : createOrganizationIn(tx, deps, { name: business.name }).id
      if (organizationId === undefined) throw new Error('the first organization is missing')
      const ctx = systemCtx(deps, organizationId)
      for (const { login, role, fullName } of business.people) {
        const roleId = findSystemRole(ctx, role)?.id ?? ''
        const userId = createUserIn(tx, deps, {
          email: `${login}@${business.domain}`,
          fullName,
          passwordHash,
          homeOrganizationId: organizationId,
          isSuperAdmin: false,
          mustChangePassword: false,
        })
        addMemberIn(tx, ctx, { userId, roleId, isDefault: true })
      }
    }
  })
}

const signIn = (
  url: string,
  email: string,
): Promise<{ access_token: string; user: { id: string } }> =>
  call({ url }, 'POST', '/api/auth/login', { email, password: PASSWORD })

/** Lets the first organization send all of its events to an endpoint that shows them. */
async function addEndpoint(url: string, receiver: DemoReceiver): Promise<void> {
  const { access_token: token } = await signIn(url, `admin@${BUSINESSES[0].domain}`)
  const { secret } = await call<{ secret: string }>({ url, token }, 'POST', '/api/webhooks', {
    name: 'Demo receiver',
    url: receiver.url,
    events: ['*'],
  })
  receiver.trust(secret)
}

/** Connects the number of an organization, lets its customers write and assigns three of them. */
async function openBusiness(
  url: string,
  simulator: Simulator,
  business: Business,
): Promise<{ customers: Customer[]; contactId: string }> {
  const wabaId = String(201_000_000_000_001 + BUSINESSES.indexOf(business))
  const phone = simulator.addPhone({
    wabaId,
    verifiedName: business.name,
    token: `token-of-${business.domain}`,
  })
  simulator.keepTemplate(
    { name: 'hello_world', components: [{ type: 'BODY', text: `Hello from ${business.name}.` }] },
    wabaId,
  )
  const at = { url, token: (await signIn(url, `admin@${business.domain}`)).access_token }
  const number = { phone_id: phone.id, business_id: phone.wabaId, access_token: phone.token }
  const { id } = await call<{ id: string }>(at, 'POST', '/api/accounts', {
    name: `${business.name} main`,
    ...number,
  })
  // with this the first steps are done, and people arrive in the inbox
  await call(at, 'POST', '/api/templates/sync', { account_id: id })
  const customers = business.customers.map((name) => simulator.customer({ phone: phone.id, name }))
  for (const customer of customers)
    await customer.says(`Hello ${business.name}, this is ${customer.name}.`)
  const items = await arrivedContacts(at, customers.length)
  const known = business.customers.map(
    (name) => items.find((item) => item.display_name === name)?.id ?? '',
  )
  const teamId = await assign(at, business, known)
  await startBot(at, teamId)
  return { customers, contactId: known[0] ?? '' }
}

/**
 * Creates the team of both agents, who take customers from its queue, and assigns two contacts to the
 * first agent and one to the team. Returns the ID of the team.
 */
async function assign(
  at: { url: string; token: string },
  business: Business,
  [first, second, third]: string[],
): Promise<string> {
  const userIdOf = async (login: string): Promise<string> =>
    (await signIn(at.url, `${login}@${business.domain}`)).user.id
  const agentId = await userIdOf('agent')
  const { team } = await call<{ team: { id: string } }>(at, 'POST', '/api/teams', {
    name: business.team,
    assignment_strategy: 'manual',
  })
  for (const user_id of [agentId, await userIdOf('agent2')])
    await call(at, 'POST', `/api/teams/${team.id}/members`, { user_id })
  for (const id of [first, second])
    await call(at, 'PUT', `/api/contacts/${id}/assign`, { user_id: agentId })
  await call(at, 'PUT', `/api/contacts/${third}/assign`, { team_id: team.id })
  return team.id
}

/** Lets the bot answer questions about the opening hours and about orders; people answer the rest. */
async function startBot(at: { url: string; token: string }, teamId: string): Promise<void> {
  await call(at, 'POST', '/api/chatbot/keywords', {
    name: 'Opening hours',
    keywords: ['open', 'hours'],
    response:
      'Hello {{ contact_name | default: "there" }}, we are open from 9 to 18, Monday to Saturday.',
  })
  await call(at, 'POST', '/api/chatbot/flows', {
    name: 'Order status',
    trigger_keywords: ['order'],
    enabled: true,
    graph: {
      version: 2,
      entry_node: 'ask',
      nodes: [
        {
          id: 'ask',
          type: 'prompt',
          config: {
            body: 'What is your order number?',
            store_as: 'order',
            input: 'number',
            validation_error: 'An order number has digits only. What is yours?',
          },
        },
        {
          id: 'hand_over',
          type: 'transfer',
          config: {
            body: 'Thank you. We look it up.',
            team_id: teamId,
            notes: 'Order {{ order | default: "unknown" }}',
          },
        },
      ],
      edges: [{ from: 'ask', condition: 'default', to: 'hand_over' }],
    },
  })
  await call(at, 'PUT', '/api/chatbot/settings', { chatbot_enabled: true })
}

/**
 * Returns the contacts of the customers who wrote, once the server has processed their webhooks.
 */
async function arrivedContacts(at: { url: string; token: string }, count: number): Promise<Item[]> {
  for (const untilMs = Date.now() + ARRIVAL_MS; Date.now() < untilMs;) {
    const { items } = await call<{ items: Item[] }>(at, 'GET', '/api/contacts?limit=100')
    if (items.length === count) return items
    await Bun.sleep(50)
  }
  throw new Error(`the messages of ${count} customers did not arrive`)
}

/** Starts everything and returns the text to print. Adds cleanup steps to `undo`, newest first. */
async function start(undo: (() => unknown)[]): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-demo-'))
  undo.unshift(() => rmSync(dataDir, { recursive: true, force: true }))
  const simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    concurrency: 4,
    approvesAfterMs: REVIEW_MS,
  })
  undo.unshift(() => simulator.stop())
  const receiver = new DemoReceiver()
  undo.unshift(() => receiver.stop())
  const config = readConfig({
    HOST: '127.0.0.1',
    EGRESS_ALLOW: new URL(receiver.url).host,
    PORT: process.env['PORT'],
    DATA_DIR: dataDir,
    PLATFORM_BASE_URL: simulator.url,
    PLATFORM_DIALOG_URL: simulator.url,
    APP_ID: SIMULATED_APP,
    SIGNUP_CONFIG_ID: SIGNUP_CONFIG,
    APP_SECRET,
    ADMIN_EMAIL: SUPER_ADMIN,
    ADMIN_PASSWORD: PASSWORD,
    ADMIN_ORGANIZATION: BUSINESSES[0].name,
    PASSWORD_MEMORY_MIB: '19',
    LOG_FORMAT: 'pretty',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
  })
  const server = await startServer(config, { tell: () => undefined, migrates: true })
  undo.splice(2, 0, () => server.stop())
  const url = `http://localhost:${server.port}`
  simulator.setCallback(`http://127.0.0.1:${server.port}/api/webhook`)
  await addPeople(server)
  await addEndpoint(url, receiver)
  const [bakery, bikes] = [
    await openBusiness(url, simulator, BUSINESSES[0]),
    await openBusiness(url, simulator, BUSINESSES[1]),
  ]
  simulator.live({ customers: [...bakery.customers, ...bikes.customers], everyMs: EVERY_MS })
  return demoText({
    url,
    simulatorUrl: simulator.url,
    receiverUrl: receiver.url,
    password: PASSWORD,
    logins: [
      [SUPER_ADMIN, 'super admin of the installation'],
      ...BUSINESSES.flatMap(({ name, domain, team, people }) =>
        people.map(({ login, role }): [string, string] => [
          `${login}@${domain}`,
          `${role}, ${name}${role === 'agent' ? `, team ${team}` : ''}`,
        ]),
      ),
    ],
    admin: `admin@${BUSINESSES[0].domain}`,
    agent: `agent2@${BUSINESSES[0].domain}`,
    contactId: bakery.contactId,
  })
}

/** Starts two servers that share the work instead of one. */
async function startSeveral(undo: (() => unknown)[]): Promise<string> {
  const { text, stop } = await startCells()
  undo.push(stop)
  return text
}

async function main(): Promise<void> {
  const undo: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo) await step()
  }
  stopOnSignal(stop)
  try {
    console.log(process.argv[2] === 'cells' ? await startSeveral(undo) : await start(undo))
  } catch (error) {
    const isSentence = error instanceof ListenError || error instanceof ConfigError
    console.error(isSentence ? error.message : error)
    await stop()
    process.exit(1)
  }
}

await main()
