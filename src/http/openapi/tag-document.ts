import type { OpenApiDocument } from './document'

/** The name of a tag in an address, for example `canned-responses`. */
export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** An operation as the list of operations shows it. */
export interface OperationLine {
  id: string
  method: string
  path: string
  summary: string
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
          .map(({ method, operation: { operationId, summary } }) => ({
            ...{ id: operationId, method: method.toUpperCase(), path, summary: summary ?? '' },
          })),
    ),
  }))

/**
 * Returns the document of one tag: its operations and the components they use. `undefined` if no
 * tag has this slug. A viewer shows it several times sooner than the document of all operations.
 */
export function tagDocument(document: OpenApiDocument, slug: string): OpenApiDocument | undefined {
  const tag = tagsOf(document).find(({ name }) => slugOf(name) === slug)
  if (!tag) return undefined
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(([path, methods]) => [path, operationsOf(methods, tag.name)] as const)
      .filter(([, methods]) => Object.keys(methods).length > 0),
  )
  const webhooks = Object.fromEntries(
    Object.entries(document.webhooks ?? {})
      .map(([type, methods]) => [type, operationsOf(methods, tag.name)] as const)
      .filter(([, methods]) => Object.keys(methods).length > 0),
  )
  const { title, version } = document['info'] as { title: string; version: string }
  return {
    ...document,
    info: { title: `${title}: ${tag.name}`, version },
    tags: [tag],
    paths,
    webhooks,
    components: usedComponents(document, [paths, webhooks]),
  }
}

const operationsOf = (
  methods: OpenApiDocument['paths'][string],
  tag: string,
): OpenApiDocument['paths'][string] =>
  Object.fromEntries(
    Object.entries(methods).filter(([, { tags }]) => (tags as string[] | undefined)?.includes(tag)),
  )

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
