import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal, unknownObject } from './errors'
import { askEndpoint } from './flow-endpoint'
import type { FlowError, SimulatedFlow } from './flow-store'
import { jsonOr } from './flow-sends'
import type { Answer } from './messages'
import { rejected } from './messages'
import { envelope } from './payloads'
import { isObject } from './rules'
import { deliver, businessNumberOf, seconds, targetOf, type World } from './world'

const CATEGORIES =
  'SIGN_UP SIGN_IN APPOINTMENT_BOOKING LEAD_GENERATION CONTACT_US CUSTOMER_SUPPORT SURVEY OTHER'.split(
    ' ',
  )
const PREVIEW_LIFE_S = 30 * 24 * 60 * 60

const ok = (body: unknown): Answer => ({ status: 200, body })
const reject = (world: World, code: number, message: string, details?: string): Answer =>
  rejected(
    world,
    refusal({
      code,
      message: `(#${code}) ${message}`,
      ...(details === undefined ? {} : { details }),
    }),
  )

/** Returns the members of a JSON or form body. In a form, lists are JSON texts. */
function membersOf(body: unknown): Record<string, unknown> {
  if (body instanceof FormData)
    return Object.fromEntries(
      [...body.entries()].map(([name, value]) => [
        name,
        name === 'categories' ? jsonOr(value) : value,
      ]),
    )
  return isObject(body) ? body : {}
}

function flowProblem(
  world: World,
  flow: { id?: string; wabaId: string },
  members: Record<string, unknown>,
  known: string[],
): string | null {
  const strange = Object.keys(members).filter((name) => !known.includes(name))
  if (strange.length > 0) return `Unexpected parameters: ${strange.join(', ')}.`
  const { name, categories, endpoint_uri: uri } = members
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.length > 200))
    return 'Param name must be 1 to 200 characters long.'
  if (
    name !== undefined &&
    world.flows.of(flow.wabaId).some((other) => other.name === name && other.id !== flow.id)
  )
    return 'Flow name is not unique. You may be trying to create a Flow with a name already used by another Flow.'
  const areKnown =
    Array.isArray(categories) &&
    categories.length > 0 &&
    categories.every((word) => CATEGORIES.includes(String(word)))
  if (categories !== undefined && !areKnown)
    return `Param categories must be a non-empty list of {${CATEGORIES.join(', ')}}`
  return uri === undefined || (typeof uri === 'string' && URL.canParse(uri))
    ? null
    : 'Invalid Endpoint URI'
}

/** Lists the Flows of a business account in pages, or creates one. */
export function flowsOf(world: World, call: Call, url: URL): Answer {
  const wabaId = call.object ?? ''
  if (call.method === 'GET') return listFlows(world, wabaId, url)
  const members = membersOf(call.body)
  const problem = flowProblem(world, { wabaId }, members, [
    'name',
    'categories',
    'endpoint_uri',
    'clone_flow_id',
    'flow_json',
    'publish',
  ])
  const { name, categories, endpoint_uri: uri } = members
  if (typeof name !== 'string' || !Array.isArray(categories))
    return reject(world, 100, 'The parameter name and categories are required.')
  if (problem !== null) return reject(world, 100, problem)
  const source =
    typeof members['clone_flow_id'] === 'string'
      ? world.flows.find(members['clone_flow_id'])
      : undefined
  if (members['clone_flow_id'] !== undefined && source === undefined)
    return reject(world, 100, 'Flow with specified ID does not exist')
  const json = typeof members['flow_json'] === 'string' ? members['flow_json'] : source?.json
  const flow = world.flows.add({
    wabaId,
    name,
    categories: categories.map(String),
    endpointUri: typeof uri === 'string' ? uri : undefined,
    json,
    errors: json === undefined ? [] : errorsIn(json),
  })
  return ok({
    id: flow.id,
    ...(json === undefined ? {} : { success: true, validation_errors: flow.errors }),
  })
}

function listFlows(world: World, wabaId: string, url: URL): Answer {
  const all = world.flows.of(wabaId)
  const limit = Math.max(1, Math.min(100, Number(url.searchParams.get('limit') ?? 25) || 25))
  const from =
    Number(Buffer.from(url.searchParams.get('after') ?? '', 'base64').toString() || 0) || 0
  const page = all.slice(from, from + limit)
  const told = page.map((flow) =>
    factsOf(
      world,
      flow,
      url.searchParams.get('fields') ?? 'id,name,status,categories,validation_errors',
    ),
  )
  const refusalOf = told.find((facts) => typeof facts === 'string')
  if (typeof refusalOf === 'string') return reject(world, 100, refusalOf)
  const cursor = (place: number): string => Buffer.from(String(place)).toString('base64')
  const end = from + page.length
  const next = end < all.length ? { next: `${url.origin}${url.pathname}?after=${cursor(end)}` } : {}
  return ok({
    data: told,
    paging: { cursors: { before: cursor(from), after: cursor(end) }, ...next },
  })
}

/** Returns the requested fields of a Flow, or the name of an unknown field. */
function factsOf(
  world: World,
  flow: SimulatedFlow,
  fields: string,
): Record<string, unknown> | string {
  const document =
    flow.json === undefined ? undefined : (jsonOr(flow.json) as Record<string, unknown>)
  const isHealthy = flow.status !== 'BLOCKED'
  const known: Record<string, unknown> = {
    id: flow.id,
    name: flow.name,
    status: flow.status,
    categories: flow.categories,
    validation_errors: flow.errors,
    json_version: document?.['version'],
    data_api_version: document?.['data_api_version'],
    endpoint_uri: flow.endpointUri,
    health_status: {
      can_send_message: isHealthy ? 'AVAILABLE' : 'BLOCKED',
      entities: [
        {
          entity_type: 'FLOW',
          id: flow.id,
          can_send_message: isHealthy ? 'AVAILABLE' : 'BLOCKED',
          ...(isHealthy
            ? {}
            : {
                errors: [
                  {
                    error_code: 131000,
                    error_description: 'endpoint_availability',
                    possible_solution: 'Repair it.',
                  },
                ],
              }),
        },
      ],
    },
    whatsapp_business_account: { id: flow.wabaId },
    application: { id: '601000000000001', name: 'Simulated app' },
  }
  const facts: Record<string, unknown> = { id: flow.id }
  for (const field of fields.split(',')) {
    const renewed = /^preview(?:\.invalidate\((true|false)\))?$/.exec(field)
    if (renewed) {
      if (renewed[1] === 'true') flow.previews += 1
      const expires = new Date((seconds(world) + PREVIEW_LIFE_S) * 1000)
        .toISOString()
        .replace('.000Z', '+0000')
      facts['preview'] = {
        preview_url: `https://business.example.com/flows/${flow.id}/preview/?token=${flow.previews}`,
        expires_at: expires,
      }
    } else if (!Object.hasOwn(known, field))
      return `Tried accessing nonexisting field (${field}) on node type (Flow)`
    else if (known[field] !== undefined) facts[field] = known[field]
  }
  return facts
}

/** Finds the Flow of the path and checks that the token belongs to its business account. */
export function withFlow(
  world: World,
  call: Call,
  act: (flow: SimulatedFlow, phone: Phone) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const flow = world.flows.find(call.object ?? '')
  const phone =
    flow && world.accounts.phonesOf(flow.wabaId).find(({ token }) => token === call.token)
  if (flow === undefined || phone === undefined)
    return rejected(world, unknownObject(call.method, call.object ?? ''))
  return act(flow, phone)
}

/** Returns a Flow, updates a draft, or deletes it. */
export function handleFlow(world: World, call: Call, url: URL, flow: SimulatedFlow): Answer {
  if (call.method === 'GET') {
    const facts = factsOf(
      world,
      flow,
      url.searchParams.get('fields') ?? 'id,name,status,categories,validation_errors',
    )
    return typeof facts === 'string' ? reject(world, 100, facts) : ok(facts)
  }
  if (call.method === 'DELETE') {
    if (flow.status !== 'DRAFT') return reject(world, 139_004, "Can't delete published Flow")
    world.flows.delete(flow.id)
    return ok({ success: true })
  }
  const members = membersOf(call.body)
  const problem = flowProblem(world, flow, members, [
    'name',
    'categories',
    'endpoint_uri',
    'application_id',
  ])
  if (problem !== null) return reject(world, 100, problem)
  const isFixed = members['name'] !== undefined || members['categories'] !== undefined
  if (flow.status !== 'DRAFT' && isFixed) return reject(world, 139_001, "Flow can't be updated")
  if (typeof members['name'] === 'string') flow.name = members['name']
  if (Array.isArray(members['categories'])) flow.categories = members['categories'].map(String)
  if (typeof members['endpoint_uri'] === 'string') flow.endpointUri = members['endpoint_uri']
  return ok({ success: true })
}

/** Stores the JSON of a draft, even with errors, or returns its URL. */
export async function flowAssets(world: World, call: Call, flow: SimulatedFlow): Promise<Answer> {
  if (call.method === 'GET') {
    const url = `${world.origin()}/_flows/${flow.id}.json`
    const data =
      flow.json === undefined
        ? []
        : [{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url: url }]
    return ok({ data, paging: { cursors: { before: 'a', after: 'b' } } })
  }
  if (!(call.body instanceof FormData)) return reject(world, 100, 'The parameter file is required.')
  const form = call.body
  const file = form.get('file')
  if (file === null || typeof file === 'string')
    return reject(world, 100, 'The parameter file is required.')
  if (form.get('name') !== 'flow.json') return reject(world, 100, 'Param name must be flow.json')
  if (form.get('asset_type') !== 'FLOW_JSON')
    return reject(world, 100, 'Param asset_type must be one of {FLOW_JSON}')
  if (!file.type.startsWith('application/json'))
    return reject(world, 100, 'Param file must be application/json')
  if (file.size > 10 * 1024 * 1024) return reject(world, 100, 'Param file must be at most 10 MB')
  if (flow.status !== 'DRAFT') return reject(world, 139_001, "Flow can't be updated")
  flow.json = await file.text()
  flow.errors = errorsIn(flow.json)
  call.body = { file: 'flow.json', bytes: file.size }
  return ok({ success: true, validation_errors: flow.errors })
}

/** Serves the JSON of a Flow without credentials. */
export function flowJson(world: World, path: string): Answer {
  const json = world.flows.find(path.slice('/_flows/'.length).replace('.json', ''))?.json
  return json === undefined
    ? { status: 404, body: 'Not found' }
    : { status: 200, body: json, headers: { 'content-type': 'application/json' } }
}

/** Returns the platform's validation errors of a Flow JSON. Invalid JSON is stored too. */
function errorsIn(json: string): FlowError[] {
  const lines = json.split('\n')
  const at = (needle: string, error: string, message: string): FlowError[] =>
    lines.flatMap((line, index) => {
      const column = line.indexOf(needle)
      if (column < 0) return []
      const place = {
        line_start: index + 1,
        line_end: index + 1,
        column_start: column + 1,
        column_end: column + needle.length,
      }
      return [
        {
          error,
          error_type: 'FLOW_JSON_ERROR',
          message,
          ...place,
          pointers: [{ ...place, path: 'screens[0]' }],
        },
      ]
    })
  const document = jsonOr(json)
  if (!isObject(document))
    return at(lines[0] ?? '', 'INVALID_FLOW_JSON', 'Flow JSON is not valid JSON.')
  if (typeof document['version'] !== 'string')
    return at('{', 'MISSING_REQUIRED_TYPE_PROPERTY', 'The property "version" is required.').slice(
      0,
      1,
    )
  return [
    ...at('"initial-text"', 'INVALID_PROPERTY', 'The property "initial-text" cannot be specified.'),
    ...at(
      'open_gallery',
      'INVALID_ENUM_VALUE',
      'Value should be one of: [camera_gallery, camera, gallery].',
    ),
    ...at('"SUCCESS"', 'INVALID_SCREEN_ID', 'SUCCESS is a reserved screen id.'),
  ]
}

/** Publishes a draft without errors. A required endpoint must respond first. */
export async function publishFlow(world: World, flow: SimulatedFlow): Promise<Answer> {
  const cannot = (details: string): Answer =>
    reject(world, 139_002, 'Publishing Flow failed', details)
  if (flow.status !== 'DRAFT') return cannot('Publishing Flow in invalid state')
  if (flow.json === undefined || flow.errors.length > 0)
    return cannot('Publishing Flow with validation errors')
  const document = jsonOr(flow.json)
  if (isObject(document) && document['data_api_version'] !== undefined) {
    if (flow.endpointUri === undefined)
      return cannot('Publishing without specifying endpoint_uri is forbidden')
    const phone = world.accounts
      .phonesOf(flow.wabaId)
      .find(({ id }) => world.administration.keys.has(id))
    if (phone === undefined) return cannot('Missing Flows Signed Public Key')
    const { status, answer } = await askEndpoint(
      world,
      phone,
      { version: '3.0', action: 'ping' },
      { url: flow.endpointUri },
    )
    const data = isObject(answer) ? answer['data'] : undefined
    if (status !== 200 || !isObject(data) || data['status'] !== 'active')
      return cannot('Endpoint Not Available')
  }
  setFlowStatus(world, flow, 'PUBLISHED')
  return ok({ success: true })
}

/** Deprecates a published Flow. */
export function deprecateFlow(world: World, flow: SimulatedFlow): Answer {
  if (!['PUBLISHED', 'BLOCKED', 'THROTTLED'].includes(flow.status))
    return reject(world, 139_003, "Can't deprecate unpublished flow")
  setFlowStatus(world, flow, 'DEPRECATED')
  return ok({ success: true })
}

/** Changes the status of a Flow and sends a webhook. */
export function setFlowStatus(
  world: World,
  flow: SimulatedFlow,
  status: string,
  message = 'Flow has changed status',
): void {
  const update = {
    event: 'FLOW_STATUS_CHANGE',
    message,
    flow_id: flow.id,
    old_status: flow.status,
    new_status: status,
  }
  flow.status = status
  flow.sent = []
  sendFlowWebhook(world, flow, update)
}

/** Sends a webhook about a Flow. */
export function sendFlowWebhook(
  world: World,
  flow: SimulatedFlow,
  update: Record<string, unknown>,
): void {
  const [phone] = world.accounts.phonesOf(flow.wabaId)
  if (phone === undefined || targetOf(world, phone) === undefined) return
  const webhook = envelope(update, {
    line: businessNumberOf(phone),
    field: 'flows',
    time: seconds(world),
  })
  deliver(world, phone, webhook).catch(() => undefined)
}
