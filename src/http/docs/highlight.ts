/** What is used of the library. */
interface Highlighter {
  registerLanguage: (name: string, grammar: unknown) => void
  getLanguage: (name: string) => unknown
  highlight: (code: string, how: { language: string; ignoreIllegals: boolean }) => { value: string }
}

// An import would also bring its types, and those of browsers with them into the whole program.
const hljs = require('highlight.js/lib/core') as Highlighter

/** Languages of blocks, and the grammars that color them. */
const LANGUAGES: Record<string, unknown> = {
  sh: require('highlight.js/lib/languages/bash'),
  ini: require('highlight.js/lib/languages/ini'),
  json: require('highlight.js/lib/languages/json'),
  nginx: require('highlight.js/lib/languages/nginx'),
  php: require('highlight.js/lib/languages/php'),
  python: require('highlight.js/lib/languages/python'),
  sql: require('highlight.js/lib/languages/sql'),
  ts: require('highlight.js/lib/languages/typescript'),
  yaml: require('highlight.js/lib/languages/yaml'),
}

for (const [name, grammar] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, grammar)

/** Languages without a grammar of their own look like these. */
const SIMILAR: Record<string, string> = { caddyfile: 'nginx', haproxy: 'nginx' }

/** Returns code as HTML with a class for each kind of word; plain if the language is not known. */
export function highlight(code: string, name: string): string {
  const language = SIMILAR[name] ?? name
  return hljs.getLanguage(language)
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : Bun.escapeHTML(code)
}
