import { yieldEvery, yieldToEventLoop } from '../../infra/event-loop'
import { Fail } from '../envelope'
import { sharedErrorResponses } from './error-responses'
import { webhooksOf, type DescribedEvent } from './events'
import { liftTitled } from './lift'
import { operationOf, pathOf, type DescribedRoute } from './operation'
import { cleanSchema } from './schema'
import { nameBodies, nameEnvelopes, shareParameters } from './share'
import {
  headerRefs,
  IF_MATCH_PARAMETER,
  KEY_PARAMETER,
  ORGANIZATION_PARAMETER,
  RATE_HEADERS,
  REPLAY_HEADER,
} from './shared-parts'

/** A JSON object. */
type Json = Record<string, unknown>

/** An OpenAPI document as far as it is touched here. */
export interface OpenApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
  webhooks?: Record<string, Record<string, Json>>
  components?: { schemas?: Record<string, Json>; [part: string]: unknown }
}

const DESCRIPTION = [
  'Switchboard is a self-hosted server for the WhatsApp Business Platform (the platform).',
  'Every response under `/api` is `{"status":"success","data":…}` or `{"status":"error","data":null,"message":…,"code":…}`. Handle errors by `code`; each operation lists the codes of its own, and the shared responses list those of all operations. An unknown path, or a known one with another method, returns 404 `route_not_found`. A request whose address and headers are longer than 16 KiB returns 431 without a body.',
  'Authenticate people with `POST /api/auth/login` and `Authorization: Bearer <access_token>`, and programs with an API key in `X-API-Key`. The guide [Write a bot](/docs/write-a-bot) has complete programs that listen and answer.',
].join('\n\n')

const TAGS = [
  ['Authentication', 'Signing in and out.'],
  ['Me', 'The signed-in user.'],
  ['Users', 'Users of the organization.'],
  ['Organizations', 'Organizations (tenants).'],
  ['Roles', 'Named sets of permissions, and the list of all permissions.'],
  ['API keys', 'Credentials for programs.'],
  ['Audit log', 'Who changed what, and when.'],
  ['Accounts', 'Connected phone numbers.'],
  ['Contacts', 'Customers.'],
  ['Tags', 'Labels for contacts.'],
  ['Teams', 'Members who share conversations and contacts.'],
  ['Transfers', 'Contacts that wait for a person, or have one.'],
  ['Imports', 'Imports of contacts and tags from a file.'],
  ['Exports', 'Exports to a file.'],
  ['Privacy', 'Data-subject requests and retention.'],
  ['Notes', 'Internal notes about a contact.'],
  ['Canned responses', 'Saved replies.'],
  ['Views', 'Saved filters of lists.'],
  ['Custom actions', 'Requests and addresses that users run on a contact.'],
  ['Chatbot', 'Automatic answers: settings, keyword rules, conversation flows and AI.'],
  ['Flows', 'WhatsApp Flows (interactive forms of the platform) and their responses.'],
  ['Templates', 'Message templates approved by the platform. They can be sent at any time.'],
  ['Prices', 'Prices that the platform charges for messages.'],
  ['Campaigns', 'Template messages to many recipients.'],
  ['Media', 'Media files, incoming and outgoing.'],
  ['Outbox', 'Messages waiting to be sent.'],
  ['Conversations', 'Threads between a contact and one of your phone numbers.'],
  ['Messages', 'List and send messages.'],
  ['Analytics', 'Reports about the organization.'],
  ['Orders', 'Orders that customers placed from a catalog.'],
  ['Calls', 'Calls between customers and phone numbers, as the platform reports them.'],
  ['Realtime', 'WebSocket for real-time events.'],
  ['Webhooks', 'Webhook deliveries from the platform, and events that are sent to your endpoints.'],
  ['Webhook events', 'Requests that this server sends to your endpoints.'],
  ['System', 'Health, jobs, backups and other operations.'],
] as const

const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token from a sign-in.',
  },
  apiKeyAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'API key, for programs.',
  },
}

/**
 * The OpenAPI document of the routes: each operation is written from what the route declares.
 * Schemas with a title and parts that several operations share become components. `events` are sent
 * to endpoints of users.
 */
export async function openApiDocument(
  routes: DescribedRoute[],
  facts: { version: string; baseUrl: string; events: DescribedEvent[] },
): Promise<OpenApiDocument> {
  const schemas = new Map<string, Json>([['Fail', cleanSchema(Fail) as Json]])
  const lifted = await pathsOf(routes, schemas)
  const named = nameEnvelopes(nameBodies(lifted, schemas), schemas)
  await yieldToEventLoop()
  const webhooks = liftTitled(webhooksOf(facts.events), schemas) as OpenApiDocument['paths']
  await yieldToEventLoop()
  const { paths, parameters } = shareParameters(named)
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: { title: 'Switchboard', version: facts.version, description: DESCRIPTION },
    tags: TAGS.map(([name, description]) => ({ name, description })),
    servers: [{ url: facts.baseUrl, description: 'This server' }],
    paths,
    webhooks,
    components: {
      schemas: sorted(schemas),
      responses: sharedErrorResponses(headerRefs(RATE_HEADERS)),
      securitySchemes: SECURITY_SCHEMES,
      headers: { ...RATE_HEADERS, ...REPLAY_HEADER },
      parameters: {
        IdempotencyKey: KEY_PARAMETER,
        IfMatch: IF_MATCH_PARAMETER,
        OrganizationId: ORGANIZATION_PARAMETER,
        ...parameters,
      },
    },
  }
}

/** How long routes are described before other work has its turn, milliseconds. */
const HOLD_MS = 4

/**
 * The operations of all described routes by path and method, in the order of the paths. Sockets are
 * no operations. Schemas with a title are added to `schemas`.
 */
async function pathsOf(
  routes: DescribedRoute[],
  schemas: Map<string, Json>,
): Promise<OpenApiDocument['paths']> {
  const paths: OpenApiDocument['paths'] = {}
  const yieldIfDue = yieldEvery(HOLD_MS)
  const described = routes.filter(
    ({ method, hooks }) => hooks.detail?.['hide'] !== true && METHODS.has(method),
  )
  for (const route of described.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
    const operation = liftTitled(operationOf(route), schemas) as Json
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
    await yieldIfDue()
  }
  return paths
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])

const sorted = <T>(named: Map<string, T>): Record<string, T> =>
  Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)))
