import type { OpenApiDocument } from '../openapi/document'
import { operationsByTag, slugOf, type TagLines } from '../openapi/tag-document'
import type { Link } from './links'
import { codeBlock, renderMarkdown } from './markdown'
import {
  limitsOf,
  resolved,
  said,
  shapesOf,
  typeOf,
  type SchemaField,
  type Shape,
} from './schema-fields'

/** A JSON object. */
type Json = Record<string, unknown>

const { escapeHTML } = Bun

const markdown = (text: string, link: Link): string =>
  renderMarkdown(text, (href) => (href.startsWith('/docs/') ? link(href.slice(6)) : href)).html

/** The address of the page of an operation. */
export const operationName = (tag: string, id: string): string => `reference/${slugOf(tag)}/${id}`

const verb = (method: string): string => `<b class="verb ${method.toLowerCase()}">${method}</b>`

/** The operations of a tag as a list of links. */
function linesOf({ tag, operations }: TagLines, link: Link): string {
  const rows = operations.map(
    ({ id, method, path, summary, permission }) =>
      `<li id="${id}" data-words="${escapeHTML(permission)}"><a href="${link(operationName(tag, id))}">${verb(method)} <code>${escapeHTML(path)}</code> <span>${escapeHTML(summary)}</span></a></li>`,
  )
  return `<ul class="operations">\n${rows.join('\n')}\n</ul>`
}

const countOf = (tags: TagLines[]): number =>
  tags.reduce((sum, { operations }) => sum + operations.length, 0)

/** Returns the page that lists all operations, with a field that filters them. */
export function referencePage(document: OpenApiDocument, link: Link): string {
  const tags = operationsByTag(document)
  const { description } = document['info'] as { description: string }
  const sections = tags.map(
    (tag) => `<section id="${slugOf(tag.tag)}">
<h2><a href="${link(`reference/${slugOf(tag.tag)}`)}">${escapeHTML(tag.tag)}</a></h2>
<p>${escapeHTML(tag.description)}</p>
${linesOf(tag, link)}
</section>`,
  )
  return `<h1>API reference</h1>
${markdown(description, link)}
<p>For generators, the whole API is in <a href="${link('openapi.json')}">openapi.json</a>, and the frames of the WebSocket in <a href="${link('asyncapi.json')}">asyncapi.json</a>. All codes are in <a href="${link('errors')}">Error codes</a>.</p>
<search class="filter" hidden><input type="search" aria-label="Filter operations" placeholder="Filter by name, path, field, error code or permission" /> <output>${countOf(tags)} operations</output></search>
${sections.join('\n')}`
}

/** Returns the page of a tag; `null` if there is none with this slug. */
export function tagPage(document: OpenApiDocument, slug: string, link: Link): string | null {
  const tag = operationsByTag(document).find((each) => slugOf(each.tag) === slug)
  return tag
    ? `<p class="crumbs"><a href="${link('reference')}">API reference</a></p>
<h1>${escapeHTML(tag.tag)}</h1>
<p>${escapeHTML(tag.description)}</p>
${linesOf(tag, link)}`
    : null
}

const rowOf = (field: SchemaField, link: Link): string =>
  `<tr><td><code>${escapeHTML(field.path).replaceAll('.', '.<wbr>')}</code>${field.isRequired ? ' <b class="required">required</b>' : ''}</td><td>${escapeHTML(field.type)}</td><td>${markdown(field.description, link).replaceAll(/<\/?p>/g, '')}</td></tr>`

const tableOf = (fields: SchemaField[], link: Link): string =>
  `<div class="wide" role="region" aria-label="Fields" tabindex="0"><table class="fields"><thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead>
<tbody>
${fields.map((field) => rowOf(field, link)).join('\n')}
</tbody></table></div>`

const shapesHtml = (shapes: Shape[], link: Link): string =>
  shapes
    .map(({ title, fields }) =>
      title === ''
        ? tableOf(fields, link)
        : `<details><summary>${escapeHTML(title)}</summary>${tableOf(fields, link)}</details>`,
    )
    .join('\n')

const printed = (value: unknown): string => JSON.stringify(value, null, 2)

/** The schema of what an answer brings, without the envelope around it. */
function dataOf(document: OpenApiDocument, schema: unknown): unknown {
  const { properties } = resolved(document, schema) as { properties?: Json }
  return properties?.['status'] === undefined ? schema : (properties['data'] ?? schema)
}

function parametersHtml(document: OpenApiDocument, operation: Json, link: Link): string {
  const all = ((operation['parameters'] ?? []) as Json[]).map((one) => resolved(document, one))
  const groups = ['path', 'query', 'header']
    .map((place) => ({ place, fields: all.filter((one) => one['in'] === place) }))
    .filter(({ fields }) => fields.length > 0)
  return groups
    .map(({ place, fields }) => {
      const rows = fields.map(({ name, schema, required, description }) => ({
        path: String(name),
        type: typeOf(document, schema),
        isRequired: required === true,
        description: limitsOf({
          ...resolved(document, schema),
          ...(description === undefined ? {} : { description }),
        }),
      }))
      return `<h2 id="${place}">${place === 'path' ? 'Path' : place === 'query' ? 'Query' : 'Headers'}</h2>\n${tableOf(rows, link)}`
    })
    .join('\n')
}

/** The body, by the type that programs send most. */
function bodyHtml(document: OpenApiDocument, operation: Json, link: Link): string {
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as
    | Record<string, Json>
    | undefined
  if (content === undefined) return ''
  return Object.entries(content)
    .map(([type, media], index) => {
      const shapes = shapesOf(document, media['schema'])
      const example = media['example']
      const written =
        type === 'application/json' && example !== undefined
          ? codeBlock(printed(example), 'json')
          : ''
      return `<h2 id="body${index === 0 ? '' : `-${index}`}">Body: <code>${escapeHTML(type)}</code></h2>\n${written}${shapesHtml(shapes, link)}`
    })
    .join('\n')
}

/** A command that calls the operation with its example. */
function commandOf(document: OpenApiDocument, { method, path, operation }: Found): string {
  const [server] = document['servers'] as { url: string }[]
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as
    | Record<string, Json>
    | undefined
  const json = content?.['application/json']?.['example']
  const form = content?.['multipart/form-data']?.['example'] as Json | undefined
  const isPublic = operation['x-permission'] === 'public'
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${server?.url ?? ''}${path}"`,
    ...(isPublic ? [] : ['-H "x-api-key: $API_KEY"']),
    ...(json === undefined
      ? Object.entries(form ?? {}).map(([name, value]) =>
          name === 'file'
            ? `-F 'file=@${String(value)}'`
            : `-F '${name}=${typeof value === 'string' ? value : JSON.stringify(value)}'`,
        )
      : [`-H 'content-type: application/json'`, `-d '${printed(json).replaceAll("'", `'\\''`)}'`]),
  ]
  return lines.join(' \\\n  ')
}

function responsesHtml(document: OpenApiDocument, operation: Json, link: Link): string {
  const responses = Object.entries(operation['responses'] as Record<string, Json>)
  const successes = responses.filter(([status]) => Number(status) < 400)
  const failures = responses.filter(([status]) => Number(status) >= 400)
  const parts = successes.map(([status, answer]) => {
    const found = resolved(document, answer)
    const media = (found['content'] as Record<string, Json> | undefined)?.['application/json']
    const schema = media?.['schema']
    const [own] = (resolved(document, schema)['examples'] ?? []) as unknown[]
    const example = media?.['example'] ?? own
    return `<h2 id="${status}">Answer ${status}</h2>
${markdown(said(found['description']), link)}
${example === undefined ? '' : codeBlock(printed(example), 'json')}
${schema === undefined ? '' : shapesHtml(shapesOf(document, dataOf(document, schema)), link)}`
  })
  const rows = failures.map(([status, answer]) => {
    const { description } = resolved(document, answer)
    return `<details><summary>${status}</summary>${markdown(said(description), link)}</details>`
  })
  return `${parts.join('\n')}
<h2 id="errors">Errors of all operations</h2>
${rows.join('\n')}`
}

/** An operation with its place in the document. */
export interface Found {
  tag: string
  id: string
  method: string
  path: string
  operation: Json
}

/** Returns the operation with this id, `null` if there is none. Events are operations as well. */
export function findOperation(document: OpenApiDocument, id: string): Found | null {
  for (const [path, methods] of Object.entries({ ...document.paths, ...document.webhooks }))
    for (const [method, operation] of Object.entries(methods))
      if (operation['operationId'] === id) {
        const [tag = ''] = (operation['tags'] ?? []) as string[]
        return { tag, id, method: method.toUpperCase(), path, operation }
      }
  return null
}

/** Lets the permissions that the operation needs lead to what they allow. */
function withPermissions(html: string, operation: Json, link: Link): string {
  const needed = said(operation['x-permission']).match(/\w+:\w+/g) ?? []
  return needed.reduce(
    (text, permission) =>
      text.replaceAll(
        `<code>${permission}</code>`,
        `<a href="${link('roles', `#${permission}`)}"><code>${permission}</code></a>`,
      ),
    html,
  )
}

/** Lets the codes of errors lead to the page of all of them. */
const withCodes = (html: string, link: Link): string =>
  html.replaceAll(
    /<li>(\d{3}) <code>(\w+)<\/code>/g,
    (_row, status: string, code: string) =>
      `<li>${status} <a href="${link('errors', `#${code}`)}"><code>${code}</code></a>`,
  )

/** Returns the page of an operation. `tryIt` is the address of the viewer that can send it. */
export function operationPage(
  document: OpenApiDocument,
  found: Found,
  link: Link,
  tryIt: string | null,
): string {
  const { tag, method, path, operation } = found
  const isEvent = !path.startsWith('/')
  const summary = said(operation['summary'])
  const attempt = tryIt === null || isEvent ? '' : ` <a class="try" href="${tryIt}">Try it</a>`
  const [about = '', errors] = said(operation['description']).split(/^Errors:\n/m)
  return `<p class="crumbs"><a href="${link('reference')}">API reference</a> › <a href="${link(`reference/${slugOf(tag)}`)}">${escapeHTML(tag)}</a></p>
<h1>${escapeHTML(summary)}</h1>
<p class="call">${verb(method)} <code>${escapeHTML(path)}</code>${attempt}</p>
${withPermissions(markdown(about, link), operation, link)}
${isEvent ? '' : `<h2 id="call">Call</h2>\n${codeBlock(commandOf(document, found), 'sh')}`}
${parametersHtml(document, operation, link)}
${bodyHtml(document, operation, link)}
${errors === undefined ? '' : `<h2 id="own-errors">Errors of this operation</h2>\n${withCodes(markdown(errors, link), link)}`}
${responsesHtml(document, operation, link)}`
}
