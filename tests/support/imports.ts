import type { Answer, Client, Loose } from './client'
import { fetchRaw, upload } from './files'
import type { World } from './world'

/** A file to import: its text or bytes, and the other fields of the form. */
export interface ImportedFile {
  file: string | Uint8Array
  name?: string
  fields?: Record<string, string>
}

/** Uploads a file of contacts, for real by default. Nothing is processed yet. */
export const handIn = (
  client: Client,
  { file, name = 'people.csv', fields = {} }: ImportedFile,
): Promise<Answer<Loose>> =>
  upload(client, {
    path: '/api/import',
    name,
    bytes: typeof file === 'string' ? new TextEncoder().encode(file) : file,
    fields: { table: 'contacts', dry_run: 'false', ...fields },
  })

/** Uploads a file of contacts, processes it and returns the import. */
export async function imported(world: World, client: Client, file: ImportedFile): Promise<Loose> {
  const { data } = await handIn(client, file)
  await world.settle()
  return (await client.get(`/api/imports/${data['id']}`)).data
}

/** The report of an import, row by row. */
export const reportOf = async (client: Client, about: Loose, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/imports/${about['id']}/rows?limit=100${query}`)).data['items'] as Loose[]

/** The counts of an import. */
export const countsOf = (about: Loose): number[] =>
  ['created', 'updated', 'skipped', 'failed'].map((name) => about[name] as number)

/** The text of a download, byte for byte. */
export const textOf = async (client: Client, path: string): Promise<string> =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await (await fetchRaw(client, path)).arrayBuffer(),
  )

/** Has something exported and reads the file; cells are split at commas. */
export async function exported(
  world: World,
  client: Client,
  body: Loose,
): Promise<{ about: Loose; text: string; lines: string[] }> {
  using _stay = world.stays('exports')
  const { data } = await client.post('/api/export', body)
  await world.settle()
  const about = (await client.get(`/api/exports/${data['id']}`)).data
  const text = await textOf(client, `/api/exports/${data['id']}/download`)
  return {
    about,
    text,
    lines: text
      .replace(/^\uFEFF/, '')
      .split('\r\n')
      .slice(0, -1),
  }
}
