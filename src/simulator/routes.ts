import { phoneFacts } from './accounts'
import type { Phone } from './accounts'
import {
  businessFacts,
  changePhone,
  encryption,
  exchangeCode,
  inspectToken,
  isExpired,
  openSession,
  profile,
  profilePicture,
  register,
  subscription,
  receiveBytes,
} from './administration'
import type { Call, Route } from './calls'
import { refusal, unknownObject } from './errors'
import type { Faults } from './faults'
import {
  handleFlow,
  deprecateFlow,
  flowAssets,
  flowJson,
  flowsOf,
  withFlow,
  publishFlow,
} from './flows'
import { addPhoneNumber, phoneAppData, requestCode, verifyCode } from './onboarding-edges'
import { signupDialog } from './signup-dialog'
import { mediaBytes, takeUpload, tellOfMedia } from './media-calls'
import { callPermissions, numberSettings } from './calling-settings'
import {
  blockUsers,
  businessUsername,
  commerceSettings,
  conversationalAutomation,
  qrCodes,
  qrImage,
} from './number-edges'
import { recipientNames, rejected, receiveMessage } from './messages'
import type { Answer } from './messages'
import { isObject } from './rules'
import { controlThread, routingRoles } from './threads'
import { archiveTemplates } from './template-archive'
import { changeBusiness } from './template-options'
import { oneTemplate, templates } from './templates-edge'
import type { Changed, World } from './world'

type Place = { version: string | undefined; object: string | undefined; edge: string | undefined }

/** Edges that accept the ID of an object behind them. */
const WITH_ID = new Set(['message_qrdls'])

const ok = (body: unknown): Answer => ({ status: 200, body })
const badToken = (world: World): Answer =>
  rejected(
    world,
    refusal({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' }),
  )

/** Cuts the connection without sending a byte. The error is empty so that nothing is printed. */
function cutConnection(): Response {
  return new Response(new ReadableStream({ pull: (controller) => controller.error(undefined) }))
}

/** Parses a path, with or without version, as the platform accepts both. */
function placeOf(path: string): Place {
  const parts = path.split('/').slice(1)
  const version = /^v\d+\.\d+$/.test(parts[0] ?? '') ? parts.shift() : undefined
  const [object, edge, id, more] = parts
  const hasVerb = edge === 'message_templates' && version === undefined
  const isKnown =
    more === undefined && (id === undefined || id === '' || hasVerb || WITH_ID.has(edge ?? ''))
  return {
    version,
    object: isKnown && object !== '' ? object : undefined,
    edge: edge === '' ? undefined : edge,
  }
}

function routeOf(world: World, method: string, path: string, place: Place, body: unknown): Route {
  if (method === 'GET' && path.startsWith('/_media/')) return 'media_bytes'
  if (method === 'GET' && path.startsWith('/_qr/')) return 'qr_image'
  if (method === 'GET' && path.startsWith('/_picture/')) return 'profile_picture'
  if (method === 'GET' && path.startsWith('/_flows/')) return 'flow_json'
  const { object, edge } = place
  if (object === undefined || object === '') return 'unexpected'
  if (method === 'GET' && object === 'debug_token') return 'debug_token'
  if (method === 'GET' && object === 'oauth' && edge === 'access_token') return 'oauth'
  if (method === 'POST' && object.startsWith('upload:')) return 'upload_bytes'
  const posting = method === 'POST' || method === 'PUT'
  if ((edge === 'messages' || edge === 'marketing_messages') && posting)
    return isObject(body) && body['status'] !== undefined ? 'read' : 'messages'
  if (method === 'GET' && object === 'dialog') return 'signup_dialog'
  if (edge === 'phone_numbers' && method === 'GET') return 'phone_numbers'
  if (edge === 'phone_numbers' && method === 'POST') return 'new_phone_number'
  if (edge === 'subscribed_apps' && ['GET', 'POST', 'DELETE'].includes(method))
    return 'subscribed_apps'
  if (edge === 'media' && method === 'POST') return 'media'
  const ofNumber = NUMBER_EDGES.get(edge ?? '')
  if (ofNumber?.methods.includes(method) === true) return ofNumber.route
  if (edge === 'register' && method === 'POST') return 'register'
  if (edge === 'whatsapp_business_profile' && ['GET', 'POST'].includes(method)) return 'profile'
  if (edge === 'whatsapp_business_encryption' && ['GET', 'POST'].includes(method))
    return 'encryption'
  if (edge === 'uploads' && method === 'POST') return 'uploads'
  const ofFlows = flowRouteOf(world, method, object, edge)
  if (ofFlows !== null) return ofFlows
  if (/\/message_templates\/(un)?archive$/.test(path))
    return method === 'POST' && place.version === undefined ? 'template_archive' : 'unexpected'
  if (edge === 'message_templates' && ['GET', 'POST', 'DELETE'].includes(method)) return 'templates'
  if (edge !== undefined) return 'unexpected'
  if (world.templateStore.byId(object) !== undefined && ['GET', 'POST'].includes(method))
    return 'template'
  if (world.media.get(object) !== undefined && ['GET', 'DELETE'].includes(method)) return 'media'
  if (['GET', 'POST'].includes(method) && world.accounts.business(object) !== undefined)
    return 'waba'
  if (method === 'POST' && world.accounts.phone(object) !== undefined) return 'phone_settings'
  return method === 'GET' ? 'phone' : 'unexpected'
}

/** Edges of a number apart from messages. */
const NUMBER_EDGES: ReadonlyMap<string, { route: Route; methods: readonly string[] }> = new Map([
  ['block_users', { route: 'block_users', methods: ['GET', 'POST', 'DELETE'] }],
  ['message_qrdls', { route: 'qr_codes', methods: ['GET', 'POST', 'DELETE'] }],
  ['conversational_automation', { route: 'conversational_automation', methods: ['GET', 'POST'] }],
  ['request_code', { route: 'request_code', methods: ['POST'] }],
  ['verify_code', { route: 'verify_code', methods: ['POST'] }],
  ['smb_app_data', { route: 'phone_app_data', methods: ['POST'] }],
  ['thread_control', { route: 'thread_control', methods: ['POST'] }],
  ['routing_roles', { route: 'routing_roles', methods: ['GET'] }],
  ['call_permissions', { route: 'call_permissions', methods: ['GET'] }],
  ['settings', { route: 'settings', methods: ['GET', 'POST'] }],
  ['username', { route: 'username', methods: ['GET', 'POST', 'DELETE'] }],
  ['whatsapp_commerce_settings', { route: 'commerce_settings', methods: ['GET', 'POST'] }],
])

function flowRouteOf(
  world: World,
  method: string,
  object: string,
  edge: string | undefined,
): Route | null {
  if (edge === 'flows' && ['GET', 'POST'].includes(method)) return 'flows'
  if (edge === 'assets' && ['GET', 'POST'].includes(method)) return 'flow_assets'
  if (edge === 'publish' && method === 'POST') return 'flow_publish'
  if (edge === 'deprecate' && method === 'POST') return 'flow_deprecate'
  const isFlow = edge === undefined && world.flows.find(object) !== undefined
  return isFlow && ['GET', 'POST', 'DELETE'].includes(method) ? 'flow' : null
}

async function bodyOf(request: Request): Promise<unknown> {
  if ((request.headers.get('content-type') ?? '').startsWith('multipart/'))
    return request.formData().catch(() => undefined)
  if (request.headers.get('content-type') === 'application/octet-stream')
    return await request.bytes()
  const text = await request.text()
  if (text === '') return undefined
  if (request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true)
    return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the token of a call from its header or its query. */
const tokenOf = (request: Request, url: URL): string | undefined =>
  /^(?:Bearer|OAuth) (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ??
  url.searchParams.get('access_token') ??
  undefined

/** Responds to one HTTP call as the platform would. Records it and applies active faults. */
export async function answer(world: World, request: Request, changed: Changed): Promise<Response> {
  const url = new URL(request.url)
  if (url.pathname === '/_simulator/calls') return Response.json(world.log.all)
  const body = await bodyOf(request)
  const place = placeOf(url.pathname)
  const call = world.log.add({
    at: world.nowMs(),
    route: routeOf(world, request.method, url.pathname, place, body),
    method: request.method,
    path: url.pathname,
    query: url.search,
    version: place.version,
    object: place.object,
    token: tokenOf(request, url),
    headers: Object.fromEntries(request.headers),
    body,
  })
  const names = recipientNames(world, body)
  call.recipient = names[0]
  world.busy.count += 1
  world.log.arrived(call)
  const faults = world.faults.take({ route: call.route, object: call.object, recipients: names })
  try {
    if (faults.slow !== undefined)
      await (typeof faults.slow === 'number' ? world.timers.sleep(faults.slow) : faults.slow)
    return finish(
      world,
      call,
      await decide(world, call, url, faults, changed),
      faults.loseAnswer === true,
    )
  } finally {
    world.busy.count -= 1
    changed()
  }
}

function finish(world: World, call: Call, given: Answer, lost: boolean): Response {
  const bytes = given.body instanceof Uint8Array || given.body instanceof ReadableStream
  call.answer = { status: given.status, body: bytes ? '(bytes)' : given.body, lost }
  world.log.arrived(call)
  if (lost) return cutConnection()
  const init = {
    status: given.status,
    ...(given.headers === undefined ? {} : { headers: given.headers }),
  }
  if (given.body instanceof ReadableStream) return new Response(given.body, init)
  if (given.body instanceof Uint8Array) return new Response(new Uint8Array(given.body), init)
  return typeof given.body === 'string'
    ? new Response(given.body, init)
    : Response.json(given.body, init)
}

async function decide(
  world: World,
  call: Call,
  url: URL,
  faults: Partial<Faults>,
  changed: Changed,
): Promise<Answer> {
  if (faults.html !== undefined) {
    const page = `<!DOCTYPE html><html><head><title>Error</title></head><body><h1>${faults.html} Bad Gateway</h1></body></html>`
    return {
      status: faults.html,
      body: page,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }
  }
  if (faults.noise !== undefined)
    return { status: 200, body: new Uint8Array(faults.noise).fill(0xfe) }
  if (faults.fail !== undefined) return rejected(world, refusal(faults.fail))
  if (faults.answer !== undefined) return ok(faults.answer)
  const object = call.object ?? ''
  switch (call.route) {
    case 'messages':
    case 'read':
      return withPhone(world, call, (phone) => receiveMessage(world, phone, call, faults, changed))
    case 'phone':
      return withPhone(world, call, (phone) => facts(world, phone, url))
    case 'phone_numbers':
      return withAccount(world, call, (phones) => phoneList(world, phones, url))
    case 'subscribed_apps':
      return withAccount(world, call, () => subscription(world, call, object))
    case 'media':
      return call.method === 'POST'
        ? withPhone(world, call, () => takeUpload(world, call, object, url))
        : storedMedia(world, call, url, faults)
    case 'media_bytes':
      return mediaBytes(world, call, url, faults)
    default:
      return handleNumbers(world, call, url, changed)
  }
}

/** Handles calls about numbers, apart from messages. */
function handleNumbers(
  world: World,
  call: Call,
  url: URL,
  changed: Changed,
): Answer | Promise<Answer> {
  switch (call.route) {
    case 'waba':
      return withAccount(world, call, (phones) =>
        call.method === 'POST'
          ? changeBusiness(world, call, phones)
          : businessFacts(world, call.object ?? '', phones, url),
      )
    case 'phone_settings':
      return withPhone(world, call, (phone) => changePhone(world, call, phone))
    case 'templates':
      return withAccount(world, call, (phones) => templates(world, call, phones, url))
    case 'template_archive':
      return withAccount(world, call, () => archiveTemplates(world, call))
    case 'template':
      return oneTemplate(world, call, url)
    case 'block_users':
      return withPhone(world, call, (phone) => blockUsers(world, call, phone, url))
    case 'qr_codes':
      return withPhone(world, call, (phone) => qrCodes(world, call, phone, url))
    case 'qr_image':
      return qrImage(world, url)
    case 'profile_picture':
      return profilePicture(world, url)
    case 'conversational_automation':
      return withPhone(world, call, (phone) => conversationalAutomation(world, call, phone))
    case 'call_permissions':
      return withPhone(world, call, (phone) => callPermissions(world, phone, url))
    case 'settings':
      return withPhone(world, call, (phone) => numberSettings(world, call, phone, url))
    case 'commerce_settings':
      return withPhone(world, call, (phone) => commerceSettings(world, call, phone))
    case 'username':
      return withPhone(world, call, (phone) => businessUsername(world, call, phone))
    case 'thread_control':
      return withPhone(world, call, (phone) => controlThread(world, call, phone, changed))
    case 'new_phone_number':
      return withAccount(world, call, () => addPhoneNumber(world, call))
    case 'request_code':
      return withPhone(world, call, (phone) => requestCode(world, call, phone))
    case 'verify_code':
      return withPhone(world, call, (phone) => verifyCode(world, call, phone))
    case 'phone_app_data':
      return withPhone(world, call, (phone) => phoneAppData(world, call, phone, changed))
    case 'signup_dialog':
      return signupDialog(world, call, url)
    case 'routing_roles':
      return withPhone(world, call, (phone) => routingRoles(world, phone))
    case 'register':
      return withPhone(world, call, (phone) => register(world, call, phone))
    case 'profile':
      return withPhone(world, call, (phone) => profile(world, call, phone, url))
    case 'encryption':
      return withPhone(world, call, (phone) => encryption(world, call, phone))
    case 'debug_token':
      return inspectToken(world, url)
    case 'oauth':
      return exchangeCode(world, url)
    case 'uploads':
      return world.accounts.knowsToken(call.token) ? openSession(world, call, url) : badToken(world)
    case 'upload_bytes':
      return receiveBytes(world, call)
    default:
      return handleFlows(world, call, url)
  }
}

/** Handles calls about Flows. */
function handleFlows(world: World, call: Call, url: URL): Answer | Promise<Answer> {
  switch (call.route) {
    case 'flows':
      return withAccount(world, call, () => flowsOf(world, call, url))
    case 'flow':
      return withFlow(world, call, (flow) => handleFlow(world, call, url, flow))
    case 'flow_assets':
      return withFlow(world, call, (flow) => flowAssets(world, call, flow))
    case 'flow_publish':
      return withFlow(world, call, (flow) => publishFlow(world, flow))
    case 'flow_deprecate':
      return withFlow(world, call, (flow) => deprecateFlow(world, flow))
    case 'flow_json':
      return flowJson(world, url.pathname)
    default:
      return unknownPath(world, call)
  }
}

function unknownPath(world: World, call: Call): Answer {
  if (call.object !== undefined && placeOf(call.path).edge === undefined)
    return rejected(world, unknownObject(call.method, call.object))
  return rejected(world, refusal({ code: 2500, message: `Unknown path components: ${call.path}` }))
}

function withPhone(
  world: World,
  call: Call,
  act: (phone: Phone) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const phone = world.accounts.phone(call.object ?? '')
  if (phone === undefined) return rejected(world, unknownObject(call.method, call.object ?? ''))
  return call.token === phone.token && !isExpired(world, phone) ? act(phone) : badToken(world)
}

function withAccount(
  world: World,
  call: Call,
  act: (phones: readonly Phone[]) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const wabaId = call.object ?? ''
  const business = world.accounts.business(wabaId)
  if (business === undefined) return rejected(world, unknownObject(call.method, wabaId))
  const phones = world.accounts.phonesOf(wabaId)
  return [business, ...phones].some(({ token }) => token === call.token)
    ? act(phones)
    : badToken(world)
}

function facts(world: World, phone: Phone, url: URL): Answer {
  const read = factsOfPhone(world, phone, url)
  return 'facts' in read ? ok(read.facts) : rejected(world, read.refusal)
}

const factsOfPhone = (world: World, phone: Phone, url: URL): ReturnType<typeof phoneFacts> =>
  phoneFacts(phone, url.searchParams.get('fields'), {
    conversational_automation: { id: phone.id, ...world.numbers.automation(phone.id) },
  })

/** Returns the numbers of an account in pages of `limit`, from the `after` cursor on. */
function phoneList(world: World, phones: readonly Phone[], url: URL): Answer {
  const limit = Math.max(1, Math.min(100, Number(url.searchParams.get('limit') ?? 25) || 25))
  const from = Number(url.searchParams.get('after') ?? 0) || 0
  const page = phones.slice(from, from + limit)
  const data: Record<string, unknown>[] = []
  for (const phone of page) {
    const read = factsOfPhone(world, phone, url)
    if ('refusal' in read) return rejected(world, read.refusal)
    data.push(read.facts)
  }
  const end = from + page.length
  const next =
    end < phones.length ? { next: `${url.origin}${url.pathname}?limit=${limit}&after=${end}` } : {}
  return ok({ data, paging: { cursors: { before: String(from), after: String(end) }, ...next } })
}

function storedMedia(world: World, call: Call, url: URL, faults: Partial<Faults>): Answer {
  return world.accounts.knowsToken(call.token)
    ? tellOfMedia(world, call, url, faults)
    : badToken(world)
}
