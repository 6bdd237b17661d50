import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal, unknownObject } from './errors'
import type { Failure } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { templateProblem, upper } from './template-rules'
import { OPTION_KEYS, readOptions } from './template-options'
import { type World } from './world'
import { type StoredTemplate } from './template-store'
import { reportTemplate } from './report-template'
import { review } from './review-template'

const DAY_MS = 24 * 60 * 60 * 1000
const EDITS = { perDay: 1, perMonth: 10 } as const

const EDITABLE = ['APPROVED', 'REJECTED', 'PAUSED']

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const ok = (body: unknown): Answer => ({ status: 200, body })
const reject = (world: World, failure: Failure): Answer => rejected(world, refusal(failure))

/** `/{waba}/message_templates`: lists, creates and deletes. */
export function templates(world: World, call: Call, phones: readonly Phone[], url: URL): Answer {
  const wabaId = phones[0]?.wabaId ?? ''
  if (call.method === 'GET') return listTemplates(world, wabaId, url)
  if (call.method === 'DELETE') return deleteTemplates(world, wabaId, url)
  return createTemplate(world, phones[0], parametersOf(call))
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
    .filter((template) => !world.templateStore.hidesArchived || template.status !== 'ARCHIVED')
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

function createTemplate(
  world: World,
  business: Phone | undefined,
  body: Record<string, unknown>,
): Answer {
  const store = world.templateStore
  if (business === undefined) return reject(world, { code: 100, message: '(#100) No numbers.' })
  const { wabaId } = business
  const known = [
    'name',
    'language',
    'category',
    'components',
    'parameter_format',
    'message_send_ttl_seconds',
    ...OPTION_KEYS,
  ]
  const unknownKey = Object.keys(body).find((key) => !known.includes(key))
  if (unknownKey !== undefined)
    return reject(world, { code: 100, message: `(#100) Unexpected key "${unknownKey}" on param.` })
  const problem = templateProblem(body, world.administration.handles)
  if (problem !== undefined) return reject(world, problem)
  const read = readOptions(body, { category: upper(body['category']), business })
  if ('failure' in read) return reject(world, read.failure)
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
      ...read.options,
    },
    wabaId,
  )
  approveLater(world, template)
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
    .find((phone) => phone.token === call.token)
  if (template === undefined || holder === undefined)
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
  return editTemplate(world, { template, business: holder }, parametersOf(call))
}

const EDITED = ['category', 'components', 'message_send_ttl_seconds', ...OPTION_KEYS]

function editTemplate(
  world: World,
  { template, business }: { template: StoredTemplate; business: Phone },
  body: Record<string, unknown>,
): Answer {
  const unknownKey = Object.keys(body).find((key) => !EDITED.includes(key))
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
  const read = readOptions(body, { category: next.category, business, before: template })
  if ('failure' in read) return reject(world, read.failure)
  Object.assign(template, read.options)
  if (isApproved) template.editedAtMs.push(world.nowMs())
  template.components = structuredClone(next.components)
  template.category = upper(next.category)
  template.status = 'PENDING'
  template.reason = 'NONE'
  approveLater(world, template)
  return ok({ success: true })
}

/** Approves a submitted template after a while, if this platform does so, unless it is reviewed first. */
function approveLater(world: World, template: StoredTemplate): void {
  if (world.approvesAfterMs === undefined) return
  world.timers.after(world.approvesAfterMs, () => {
    if (template.status === 'PENDING' && world.templateStore.byId(template.id) === template)
      review(world, template, { event: 'APPROVED' }).catch(() => undefined) // nobody listens
  })
}
