import { SAMPLES } from '../../src/simulator/sample-files'
import type { Answer, Client, Envelope, Loose } from './client'
import { requireTold } from './documented'
import { takesFormOnly, type Route } from './routes'
import { requireWords } from './wording'

/** A file to hand in. */
export interface FileToUpload {
  bytes: Uint8Array
  /** The content type that the sender claims, if any. */
  type?: string
  name?: string
  fields?: Record<string, string>
  path?: string
  headers?: Record<string, string>
}

const answerOf = async <T>(response: Response): Promise<Answer<T>> => {
  const body = (await response.json()) as Envelope<T>
  return {
    status: response.status,
    headers: response.headers,
    body,
    get data(): T {
      if (body.status !== 'success') throw new Error(`answered ${response.status}: ${body.message}`)
      return body.data
    },
  }
}

/** Posts a form as a browser does. */
export async function postForm<T = Loose>(
  client: Client,
  path: string,
  form: FormData,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const answer = await answerOf<T>(
    await fetch(client.url + path, {
      method: 'POST',
      body: form,
      headers: { ...client.headers, ...headers },
    }),
  )
  requireTold({ method: 'POST', path }, { status: answer.status, code: answer.body.code })
  requireWords({ method: 'POST', path }, answer.body)
  return answer
}

/** Hands a file in, as a browser does. */
export function upload<T = Loose>(client: Client, file: FileToUpload): Promise<Answer<T>> {
  const form = new FormData()
  for (const [name, value] of Object.entries(file.fields ?? {})) form.set(name, value)
  form.set(
    'file',
    new File([new Uint8Array(file.bytes)], file.name ?? 'file', { type: file.type ?? '' }),
  )
  return postForm(client, file.path ?? '/api/media', form, file.headers)
}

/** Returns the raw response to a GET with its body unread. */
export const fetchRaw = (
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(path.startsWith('http') ? path : client.url + path, {
    headers: { ...client.headers, ...headers },
    redirect: 'manual',
  })

const PEOPLE = new TextEncoder().encode('phone_number,name\r\n15550700009,Ana Sol\r\n')

/**
 * Sends a request in the format of its route: JSON, or a form with an image, a spreadsheet for
 * imports, or a text for AI contexts.
 */
export function ask(
  client: Client,
  route: Route,
  path: string,
  body: unknown,
): Promise<Answer<Loose>> {
  if (!takesFormOnly(route)) return client.request(route.method, path, body)
  if (route.label === 'POST /api/import' || route.label === 'POST /api/import/:table/preview')
    return upload(client, {
      path,
      bytes: PEOPLE,
      type: 'text/csv',
      name: 'people.csv',
      fields: (body ?? {}) as Record<string, string>,
    })
  if (route.label === 'POST /api/chatbot/ai-contexts/:id/document')
    return upload(client, { path, bytes: PEOPLE, type: 'text/plain', name: 'people.txt' })
  const fields = (body ?? {}) as Record<string, string>
  return upload(client, {
    path,
    bytes: SAMPLES['image/jpeg'],
    type: 'image/jpeg',
    name: 'picture.jpg',
    fields,
  })
}
