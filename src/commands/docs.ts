import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { siteFiles } from '../http/docs/site'
import { print, requiredText, textOf, UsageError, type Command } from './command'
import { describeApi } from './openapi'

/** Returns the address of a folder on a web server, without a slash at its end. Throws UsageError. */
function addressOf(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError('--url needs an address such as https://docs.example.com.')
  return url.href.replace(/\/+$/, '')
}

/** Writes the documentation as files that any web server can serve, also without a server. */
export const docs: Command = {
  name: 'docs',
  forms: [['docs --out DIR [--url URL]', 'write the documentation as static pages']],
  more:
    'DIR is created, and must be empty or hold an earlier documentation. With URL, the address at which\nDIR will be, ' +
    'pages name it as theirs, and there is a sitemap for search engines.',
  flags: { out: { type: 'string' }, url: { type: 'string' } },
  words: 0,
  async run({ flags, isJson }) {
    const folder = requiredText(flags, 'out')
    const url = addressOf(textOf(flags, 'url'))
    if (
      existsSync(folder) &&
      readdirSync(folder).length > 0 &&
      !existsSync(join(folder, 'site.css'))
    )
      throw new UsageError(`${folder} holds other files. Name an empty or a new folder.`)
    let count = 0
    for await (const [path, content] of siteFiles(await describeApi(), url)) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      count += 1
    }
    if (isJson) return print(JSON.stringify({ folder, files: count }))
    print(`Wrote ${count} files to ${folder}. Open ${join(folder, 'index.html')}.`)
    if (url === null) print('Add --url to have a sitemap and full addresses for search engines.')
  },
}
