import { PERMISSION_KEY } from '../guard'
import type { OpenApiDocument } from './document'

/** The name of a tag in an address, for example `canned-responses`. */
export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** An operation as the list of operations shows it. */
export interface OperationLine {
  id: string
  method: string
  path: string
  summary: string
  /** Who may call it: its `x-permission`. Empty for an event. */
  permission: string
}

/** A tag with its operations, in the order of the document. */
export interface TagLines {
  tag: string
  description: string
  operations: OperationLine[]
}

interface Operation {
  operationId: string
  summary?: string
  tags?: string[]
  [PERMISSION_KEY]?: string
}

const tagsOf = ({ tags }: OpenApiDocument): { name: string; description: string }[] =>
  tags as { name: string; description: string }[]

/** Returns all operations of a document, and all events that it sends, by tag. */
export const operationsByTag = (document: OpenApiDocument): TagLines[] =>
  tagsOf(document).map(({ name, description }) => ({
    tag: name,
    description,
    operations: Object.entries({ ...document.paths, ...document.webhooks }).flatMap(
      ([path, methods]) =>
        // The cast holds: Elysia writes only operations into a path, no parameters or servers.
        Object.entries(methods)
          .map(([method, operation]) => ({ method, operation: operation as unknown as Operation }))
          .filter(({ operation }) => operation.tags?.includes(name))
          .map(({ method, operation: { operationId, summary, [PERMISSION_KEY]: permission } }) => ({
            ...{ id: operationId, method: method.toUpperCase(), path, summary: summary ?? '' },
            permission: permission ?? '',
          })),
    ),
  }))

/**
 * Returns the document of one tag: its operations and the components they use. `undefined` if no
 * tag has this slug.
 */
export function tagDocument(document: OpenApiDocument, slug: string): OpenApiDocument | undefined {
  const tag = tagsOf(document).find(({ name }) => slugOf(name) === slug)
  return (
    tag &&
    partOf(
      document,
      [tag],
      ({ tags }) => (tags as string[] | undefined)?.includes(tag.name) === true,
    )
  )
}

/**
 * Returns the document of one operation with the components it uses. `undefined` if none has this
 * id. A viewer shows it many times sooner than the document of all operations.
 */
export function operationDocument(
  document: OpenApiDocument,
  id: string,
): OpenApiDocument | undefined {
  const part = partOf(document, [], ({ operationId }) => operationId === id)
  return Object.keys({ ...part.paths, ...part.webhooks }).length > 0 ? part : undefined
}

type Keeps = (operation: OpenApiDocument['paths'][string][string]) => boolean

/** The document with the operations that are kept, and what they use. */
function partOf(
  document: OpenApiDocument,
  tags: { name: string }[],
  keeps: Keeps,
): OpenApiDocument {
  const kept = (all: OpenApiDocument['paths']): OpenApiDocument['paths'] =>
    Object.fromEntries(
      Object.entries(all)
        .map(([path, methods]) => [path, operationsOf(methods, keeps)] as const)
        .filter(([, methods]) => Object.keys(methods).length > 0),
    )
  const [paths, webhooks] = [kept(document.paths), kept(document.webhooks ?? {})]
  const { title, version } = document['info'] as { title: string; version: string }
  const [tag] = tags
  return {
    ...document,
    info: { title: tag ? `${title}: ${tag.name}` : title, version },
    tags,
    paths,
    webhooks,
    components: usedComponents(document, [paths, webhooks]),
  }
}

const operationsOf = (
  methods: OpenApiDocument['paths'][string],
  keeps: Keeps,
): OpenApiDocument['paths'][string] =>
  Object.fromEntries(Object.entries(methods).filter(([, operation]) => keeps(operation)))

type Components = Record<string, Record<string, unknown>>

/** Returns the components that a part of a document refers to, and those that these refer to. */
export function usedComponents(document: OpenApiDocument, part: unknown): Components {
  const all = document.components as Components
  const used: Components = { securitySchemes: all['securitySchemes'] ?? {} }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, each] of Object.entries(value))
      if (key === '$ref' && typeof each === 'string') use(each)
      else visit(each)
  }
  const use = (reference: string): void => {
    const [, , kind = '', name = ''] = reference.split('/')
    if (used[kind]?.[name] !== undefined) return
    const component = all[kind]?.[name]
    used[kind] = { ...used[kind], [name]: component }
    visit(component)
  }
  visit(part)
  return used
}
