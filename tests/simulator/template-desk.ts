import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal, unknownObject } from './errors'
import type { Failure } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { isObject } from './rules'
import { templateProblem } from './template-rules'
import { deliver, seconds, type World } from './world'

const DAY_MS = 24 * 60 * 60 * 1000
const EDITS = { perDay: 1, perMonth: 10 } as const
const MAX_CREATED_PER_HOUR = 100
const EDITABLE = ['APPROVED', 'REJECTED', 'PAUSED']

/** A template stored at the simulated platform. */
export type StoredTemplate = {
  id: string
  wabaId: string
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
  parameterFormat: 'POSITIONAL' | 'NAMED'
  quality: string
  reason: string
  previousCategory?: string
  editedAtMs: number[]
}

/** Options of a template that is stored directly, without submission. */
export type TemplateOptions = Partial<Omit<StoredTemplate, 'editedAtMs'>> & { name: string }

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const upper = (value: unknown): string => wordOf(value).toUpperCase()
const sameLanguage = (a: string, b: string): boolean =>
  a.replaceAll('-', '_').toLowerCase() === b.replaceAll('-', '_').toLowerCase()

/** The templates of all business accounts. */
export class TemplateStore {
  readonly #stored = new Map<string, StoredTemplate>()
  readonly #created = new Map<string, number[]>()
  #idCount = 0
  #addressCount = 0

  /** Stores a template as if it had been submitted long ago. */
  keep(parts: TemplateOptions, wabaId: string): StoredTemplate {
    this.#idCount += 1
    const template: StoredTemplate = {
      id: String(1_680_000_000_000_000 + this.#idCount),
      wabaId,
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
      parameterFormat: 'POSITIONAL',
      quality: 'UNKNOWN',
      reason: 'NONE',
      ...parts,
      editedAtMs: [],
    }
    this.#stored.set(template.id, template)
    return template
  }

  /** Returns the template with this ID. */
  byId(id: string): StoredTemplate | undefined {
    return this.#stored.get(id)
  }

  /** Returns the templates of a business account, oldest first. */
  of(wabaId: string): StoredTemplate[] {
    return [...this.#stored.values()].filter((template) => template.wabaId === wabaId)
  }

  /** Finds the template that a message names. */
  find(wabaId: string, name: string, language: string): StoredTemplate | undefined {
    return this.of(wabaId).find(
      (template) => template.name === name && sameLanguage(template.language, language),
    )
  }

  /** Deletes a template. */
  drop(id: string): void {
    this.#stored.delete(id)
  }

  /** Reports whether another template may be created in this hour, and counts it. */
  mayCreate(wabaId: string, nowMs: number): boolean {
    const recent = (this.#created.get(wabaId) ?? []).filter((atMs) => nowMs - atMs < DAY_MS / 24)
    this.#created.set(wabaId, [...recent, nowMs])
    return recent.length < MAX_CREATED_PER_HOUR
  }

  /** Returns a new number each time: sample URLs change between responses. */
  nextAddress(): number {
    this.#addressCount += 1
    return this.#addressCount
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const reject = (world: World, failure: Failure): Answer => rejected(world, refusal(failure))

/** `/{waba}/message_templates`: lists, creates and deletes. */
export function templates(world: World, call: Call, phones: readonly Phone[], url: URL): Answer {
  const wabaId = phones[0]?.wabaId ?? ''
  if (call.method === 'GET') return listTemplates(world, wabaId, url)
  if (call.method === 'DELETE') return deleteTemplates(world, wabaId, url)
  return createTemplate(world, wabaId, parametersOf(call))
}

function listTemplates(world: World, wabaId: string, url: URL): Answer {
  const limit = Math.min(Number(url.searchParams.get('limit') ?? 25), 100)
  const after = url.searchParams.get('after')
  const from = after === null ? 0 : Number(Buffer.from(after, 'base64url').toString())
  if (!Number.isInteger(from) || from < 0)
    return reject(world, { code: 100, message: '(#100) Invalid cursors values' })
  const all = world.templateStore
    .of(wabaId)
    .filter((template) => matchesFilters(template, url.searchParams))
  const page = all.slice(from, from + limit)
  const cursor = (at: number): string => Buffer.from(String(at)).toString('base64url')
  const next =
    from + limit < all.length
      ? { next: `${world.origin()}${url.pathname}?after=${cursor(from + limit)}` }
      : {}
  const fields = (
    url.searchParams.get('fields') ?? 'id,name,status,category,language,components'
  ).split(',')
  return ok({
    data: page.map((template) => reportTemplate(world, template, fields)),
    ...(page.length === 0
      ? {}
      : {
          paging: { cursors: { before: cursor(from), after: cursor(from + page.length) }, ...next },
        }),
    ...summaryOf(all, world.templateStore.of(wabaId).length, url.searchParams.get('summary')),
  })
}

/**
 * Reports whether a template matches the list filters. A filter is a single value or a JSON list.
 */
function matchesFilters(template: StoredTemplate, query: URLSearchParams): boolean {
  const matchesOne = (filter: string, value: string): boolean => {
    const requested = query.get(filter)
    if (requested === null) return true
    const values: unknown = requested.startsWith('[') ? JSON.parse(requested) : [requested]
    return (
      Array.isArray(values) &&
      values.some((word) => String(word).toLowerCase() === value.toLowerCase())
    )
  }
  const part = query.get('name_or_content')?.toLowerCase() ?? ''
  return (
    matchesOne('name', template.name) &&
    matchesOne('status', template.status) &&
    matchesOne('category', template.category) &&
    matchesOne('language', template.language) &&
    matchesOne('quality_score', template.quality) &&
    (template.name.includes(part) ||
      JSON.stringify(template.components).toLowerCase().includes(part))
  )
}

const MAX_TEMPLATES = 250

/** Returns the requested summary fields of a template list. */
function summaryOf(
  all: readonly StoredTemplate[],
  count: number,
  requested: string | null,
): Record<string, unknown> {
  if (requested === null) return {}
  const facts: Record<string, unknown> = {
    total_count: all.length,
    message_template_count: count,
    message_template_limit: MAX_TEMPLATES,
    are_translations_complete: true,
  }
  return {
    summary: Object.fromEntries(
      Object.entries(facts).filter(([name]) => requested.split(',').includes(name)),
    ),
  }
}

/**
 * Returns a template as the platform reports it: samples as changing URLs, one-time code texts in
 * its own words.
 */
function reportTemplate(
  world: World,
  template: StoredTemplate,
  fields: readonly string[],
): Record<string, unknown> {
  const facts: Record<string, unknown> = {
    id: template.id,
    name: template.name,
    status: template.status,
    category: template.category,
    language: template.language,
    components: template.components.map((component) =>
      reportComponent(world, component, template.category),
    ),
    quality_score: { score: template.quality, date: seconds(world) },
    rejected_reason: template.reason,
    parameter_format: template.parameterFormat,
    ...(template.previousCategory === undefined
      ? {}
      : { previous_category: template.previousCategory }),
  }
  return Object.fromEntries(
    Object.entries(facts).filter(([name]) => name === 'id' || fields.includes(name)),
  )
}

function reportComponent(
  world: World,
  component: Record<string, unknown>,
  category: string,
): Record<string, unknown> {
  const type = upper(component['type'])
  const { example, cards, buttons } = component
  if (type === 'HEADER' && isObject(example) && example['header_handle'] !== undefined) {
    const address = `https://scontent.simulated.example/${world.templateStore.nextAddress()}.jpg`
    return {
      ...component,
      type,
      format: upper(component['format']),
      example: { header_handle: [address] },
    }
  }
  if (type === 'CAROUSEL' && Array.isArray(cards)) {
    const reportedCards = cards.filter(isObject).map((card) => ({
      components: (card['components'] as Record<string, unknown>[]).map((part) =>
        reportComponent(world, part, ''),
      ),
    }))
    return { type, cards: reportedCards }
  }
  if (category !== 'AUTHENTICATION') return { ...component, type }
  if (type === 'BODY') {
    const warning =
      component['add_security_recommendation'] === true
        ? ' For your security, do not share this code.'
        : ''
    return {
      ...component,
      type,
      text: `*{{1}}* is your verification code.${warning}`,
      example: { body_text: [['123456']] },
    }
  }
  if (type === 'FOOTER')
    return {
      ...component,
      type,
      text: `This code expires in ${String(component['code_expiration_minutes'])} minutes.`,
    }
  if (type !== 'BUTTONS' || !Array.isArray(buttons)) return { ...component, type }
  const otp = buttons.filter(isObject).map((button) => {
    const url = `https://www.whatsapp.com/otp/code/?otp_type=${upper(button['otp_type'])}&code=otp{{1}}`
    const { otp_type: _type, ...rest } = button
    return {
      ...rest,
      type: 'URL',
      text: button['text'] ?? 'Copy code',
      url,
      example: [`${url.slice(0, -5)}123456`],
    }
  })
  return { type, buttons: otp }
}

function createTemplate(world: World, wabaId: string, body: Record<string, unknown>): Answer {
  const store = world.templateStore
  const known = [
    'name',
    'language',
    'category',
    'components',
    'parameter_format',
    'allow_category_change',
    'message_send_ttl_seconds',
  ]
  const unknownKey = Object.keys(body).find((key) => !known.includes(key))
  if (unknownKey !== undefined)
    return reject(world, { code: 100, message: `(#100) Unexpected key "${unknownKey}" on param.` })
  const problem = templateProblem(body, world.administration.handles)
  if (problem !== undefined) return reject(world, problem)
  const [name, language] = [wordOf(body['name']), wordOf(body['language'])]
  if (store.find(wabaId, name, language) !== undefined) {
    return reject(world, {
      code: 100,
      subcode: 2_388_024,
      message: 'Invalid parameter',
      details:
        'There is already content in this language for this template. You can create a new template and try again.',
    })
  }
  if (!store.mayCreate(wabaId, world.nowMs()))
    return reject(world, { code: 80_007, message: 'Too many templates were created in this hour.' })
  const template = store.keep(
    {
      name,
      language,
      category: upper(body['category']),
      components: structuredClone(body['components'] as Record<string, unknown>[]),
      parameterFormat: upper(body['parameter_format']) === 'NAMED' ? 'NAMED' : 'POSITIONAL',
      status: 'PENDING',
    },
    wabaId,
  )
  return ok({ id: template.id, status: template.status, category: template.category })
}

function deleteTemplates(world: World, wabaId: string, url: URL): Answer {
  const [name, id] = [url.searchParams.get('name') ?? '', url.searchParams.get('hsm_id')]
  const matching = world.templateStore
    .of(wabaId)
    .filter((template) => template.name === name && (id === null || template.id === id))
  if (name === '')
    return reject(world, { code: 100, message: '(#100) The parameter name is required.' })
  if (matching.length === 0)
    return reject(world, {
      code: 100,
      subcode: 2_593_002,
      httpStatus: 404,
      message: 'Message Template Not Found',
    })
  for (const template of matching) world.templateStore.drop(template.id)
  return ok({ success: true })
}

/** `/{template}`: returns and edits a template. */
export function oneTemplate(world: World, call: Call, url: URL): Answer {
  const template = world.templateStore.byId(call.object ?? '')
  const holder = world.accounts
    .phonesOf(template?.wabaId ?? '')
    .some((phone) => phone.token === call.token)
  if (template === undefined || !holder)
    return rejected(world, unknownObject(call.method, call.object ?? ''))
  if (call.method === 'GET')
    return ok(
      reportTemplate(
        world,
        template,
        (url.searchParams.get('fields') ?? 'id,name,status,category,language,components').split(
          ',',
        ),
      ),
    )
  return editTemplate(world, template, parametersOf(call))
}

function editTemplate(
  world: World,
  template: StoredTemplate,
  body: Record<string, unknown>,
): Answer {
  const unknownKey = Object.keys(body).find(
    (key) => !['category', 'components', 'message_send_ttl_seconds'].includes(key),
  )
  if (unknownKey !== undefined)
    return reject(world, { code: 100, message: `(#100) Unexpected key "${unknownKey}" on param.` })
  if (!EDITABLE.includes(template.status))
    return reject(world, {
      code: 100,
      message: `(#100) A template that is ${template.status} cannot be edited.`,
    })
  const isApproved = template.status === 'APPROVED'
  if (isApproved && body['category'] !== undefined && upper(body['category']) !== template.category)
    return reject(world, {
      code: 100,
      message: '(#100) The category of an approved template cannot be changed.',
    })
  const within = (ms: number): number =>
    template.editedAtMs.filter((atMs) => world.nowMs() - atMs < ms).length
  if (isApproved && (within(DAY_MS) >= EDITS.perDay || within(30 * DAY_MS) >= EDITS.perMonth))
    return reject(world, {
      code: 100,
      subcode: 2_388_039,
      message: 'Message template can only be edited once in 24 hours and 10 times in 30 days.',
    })
  const next = {
    name: template.name,
    language: template.language,
    category: template.category,
    parameter_format: template.parameterFormat,
    components: template.components,
    ...body,
  }
  const problem = templateProblem(next, world.administration.handles)
  if (problem !== undefined) return reject(world, problem)
  if (isApproved) template.editedAtMs.push(world.nowMs())
  template.components = structuredClone(next.components)
  template.category = upper(next.category)
  template.status = 'PENDING'
  template.reason = 'NONE'
  return ok({ success: true })
}

/** Result of a review or of quality monitoring. */
export type Verdict = {
  /**
   * APPROVED, REJECTED, PAUSED, DISABLED, FLAGGED, REINSTATED, …; an UNPAUSE is indicated by the
   * title.
   */
  event: string
  reason?: string | null
  title?: string
  rejection?: { reason: string; recommendation: string }
  category?: string
  /** Platform time in Unix seconds; defaults to now. */
  at?: number
}

/** Sends a webhook about a template. Resolves when it was answered. */
export async function sendTemplateWebhook(
  world: World,
  template: StoredTemplate,
  field: string,
  value: Record<string, unknown>,
  at?: number,
): Promise<void> {
  const [phone] = world.accounts.phonesOf(template.wabaId)
  if (phone === undefined) throw new Error(`No number of ${template.wabaId} is registered`)
  await deliver(world, phone, {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: template.wabaId,
        time: at ?? seconds(world),
        changes: [
          {
            field,
            value: {
              ...value,
              message_template_id: Number(template.id),
              message_template_name: template.name,
              message_template_language: template.language.replaceAll('_', '-'),
            },
          },
        ],
      },
    ],
  } as never)
}

/** Sets the review result of a template and sends the webhook. */
export async function review(
  world: World,
  template: StoredTemplate,
  verdict: Verdict,
): Promise<void> {
  const { event, reason = 'NONE', title, rejection, category, at } = verdict
  template.status = event === 'UNARCHIVED' || title === 'UNPAUSE' ? 'APPROVED' : event
  template.reason = reason ?? 'NONE'
  if (category !== undefined) template.category = category
  await sendTemplateWebhook(
    world,
    template,
    'message_template_status_update',
    {
      event,
      reason,
      message_template_category: template.category,
      ...(title === undefined ? {} : { other_info: { title, description: 'Quality' } }),
      ...(rejection === undefined ? {} : { rejection_info: rejection }),
    },
    at,
  )
}
