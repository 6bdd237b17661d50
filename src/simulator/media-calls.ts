import { refusal, unknownObject } from './errors'
import type { Call } from './calls'
import type { Faults } from './faults'
import type { Answer } from './messages'
import { rejected } from './messages'
import { chunks } from './media-store'
import type { World } from './world'

const MIB = 1024 * 1024

/** Accepted media types and size limits; other types count as documents (platform document 3). */
const LIMITS: readonly { types: RegExp; maxBytes: number }[] = [
  { types: /^image\/(jpeg|png)$/, maxBytes: 5 * MIB },
  { types: /^image\/webp$/, maxBytes: 500 * 1024 },
  { types: /^video\/(mp4|3gpp)$/, maxBytes: 16 * MIB },
  { types: /^audio\/(aac|amr|mpeg|mp4|ogg)$/, maxBytes: 16 * MIB },
  { types: /^(application|text)\//, maxBytes: 100 * MIB },
]

const essence = (mime: string): string => (mime.split(';')[0] ?? '').trim()

/**
 * Accepts an upload: a form with `messaging_product` (or in the query), `file` and, unless the file
 * part states it, `type`. Type and size must be allowed.
 */
export async function takeUpload(
  world: World,
  call: Call,
  phoneId: string,
  url: URL,
): Promise<Answer> {
  const refuse = (code: number, message: string): Answer =>
    rejected(world, refusal({ code, message: `(#${code}) ${message}` }))
  if (!(call.body instanceof FormData)) return refuse(100, 'The parameter file is required.')
  const file = call.body.get('file')
  if (file === null || typeof file === 'string')
    return refuse(100, 'The parameter file is required.')
  const type = call.body.get('type') ?? file.type
  const product = call.body.get('messaging_product') ?? url.searchParams.get('messaging_product')
  if (product !== 'whatsapp') return refuse(100, 'The parameter messaging_product is required.')
  if (typeof type !== 'string' || type === '') return refuse(100, 'The parameter type is required.')
  const unknown = [...call.body.keys()].filter(
    (name) => !['messaging_product', 'file', 'type'].includes(name),
  )
  if (unknown.length > 0) return refuse(100, `Unexpected parameter ${unknown.join(', ')}.`)
  // Bun reads a text/plain part as one without a type.
  if (essence(type) !== essence(file.type) && essence(type) !== 'text/plain')
    return refuse(131_053, `Param type ${type} is not that of the file, ${file.type}.`)
  const limit = LIMITS.find(({ types }) => types.test(essence(type)))
  if (limit === undefined)
    return refuse(
      100,
      `Param file must be a file with one of the supported types; Received file of type '${type}'.`,
    )
  if (file.size > limit.maxBytes)
    return refuse(131_053, 'Media upload error: the file is too large.')
  const place = { id: world.ids.media(), phoneId, mime: type }
  const stored =
    file.size > 4 * MIB
      ? world.media.putHuge(place, file.size)
      : world.media.put(place, await file.bytes())
  call.body = { file: file.name, type, bytes: stored.sizeBytes }
  return { status: 200, body: { id: stored.id } }
}

/**
 * Returns the facts of a file or deletes it. Requires a token, and ownership by the named number.
 */
export function tellOfMedia(world: World, call: Call, url: URL, faults: Partial<Faults>): Answer {
  const id = call.object ?? ''
  const file = world.media.get(id)
  const asked = url.searchParams.get('phone_number_id')
  const isOwners = world.accounts.phone(file?.phoneId ?? '')?.token === call.token
  if (file === undefined || !isOwners || (asked !== null && asked !== file.phoneId))
    return rejected(world, unknownObject(call.method, id))
  if (call.method === 'DELETE') return { status: 200, body: { success: world.media.delete(id) } }
  return { status: 200, body: { ...world.media.facts(file, world.origin()), ...faults.mediaFacts } }
}

/** Serves the bytes of a download URL. Requires a token. */
export function mediaBytes(world: World, call: Call, url: URL, faults: Partial<Faults>): Answer {
  if (!world.accounts.knowsToken(call.token)) return { status: 401, body: 'Unauthorized' }
  if (faults.redirect !== undefined)
    return { status: 302, body: '', headers: { location: faults.redirect } }
  const file = world.media.fetch(url.pathname.slice('/_media/'.length), url.searchParams.get('ext'))
  if (file === undefined) return { status: 404, body: 'Not found' }
  const headers = { 'content-type': file.mime, 'content-length': String(file.sizeBytes) }
  return { status: 200, body: file.bytes ?? streamOf(file.sizeBytes), headers }
}

/** Returns a body that is generated while it is read. */
function streamOf(sizeBytes: number): ReadableStream<Uint8Array> {
  const made = chunks(sizeBytes)
  return new ReadableStream({
    pull(controller) {
      const { done, value } = made.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
