/** A JSON object. */
type Json = Record<string, unknown>

/** Operations by path and method. */
type Paths = Record<string, Record<string, Json>>

/** Number of equal parameters from which on they are shared. */
const OFTEN = 3

/**
 * Returns the paths with frequent parameters replaced by references, and those parameters by name.
 */
export function shareParameters(paths: Paths): { paths: Paths; parameters: Record<string, Json> } {
  const inline = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ parameters }) =>
      ((parameters ?? []) as Json[]).filter((one) => !('$ref' in one)),
    ),
  )
  const frequent = [...Map.groupBy(inline, (parameter) => JSON.stringify(parameter))]
    .filter(([, uses]) => uses.length >= OFTEN)
    .toSorted(([, a], [, b]) => b.length - a.length)
  const names = new Map<string, string>()
  const parameters: Record<string, Json> = {}
  for (const [text, [parameter]] of frequent) {
    if (!parameter) continue
    const name = freeName(parameter, parameters)
    if (name === null) continue
    names.set(text, name)
    parameters[name] = parameter
  }
  const shared = (parameter: Json): Json => {
    const name = names.get(JSON.stringify(parameter))
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
  }
  return {
    paths: mapOperations(paths, (operation) => withParameters(operation, shared)),
    parameters,
  }
}

const withParameters = (operation: Json, shared: (parameter: Json) => Json): Json =>
  operation['parameters'] === undefined
    ? operation
    : { ...operation, parameters: (operation['parameters'] as Json[]).map(shared) }

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Returns an unused name for a parameter: its own, with its default if two parameters differ in it;
 * `null` if both are used.
 */
function freeName(parameter: Json, taken: Record<string, Json>): string | null {
  const plain = `${pascal(String(parameter['name']))}Parameter`
  const fallback = (parameter['schema'] as Json)['default']
  return (
    [
      plain,
      ...(fallback === undefined
        ? []
        : [`${plain}${JSON.stringify(fallback).replaceAll(/\W/g, '')}`]),
    ].find((name) => !(name in taken)) ?? null
  )
}

/** Whether a schema describes a structure, which clients get a type of, and has no name yet. */
const isNameless = (schema: Json | undefined): schema is Json =>
  schema !== undefined &&
  !('$ref' in schema) &&
  (schema['type'] === 'object' ||
    schema['type'] === 'array' ||
    'allOf' in schema ||
    'anyOf' in schema)

/**
 * Names the schemas of bodies without a title: requests and responses after their operation, pages
 * after their items (`ContactPage`). Returns the paths with references to them.
 */
export function nameBodies(paths: Paths, schemas: Map<string, Json>): Paths {
  return mapOperations(paths, (operation) => {
    const id = String(operation['operationId'])
    const base = id.charAt(0).toUpperCase() + id.slice(1)
    const { requestBody, responses } = operation as {
      requestBody?: Json
      responses: Record<string, Json>
    }
    return {
      ...operation,
      ...(requestBody === undefined
        ? {}
        : { requestBody: named(requestBody, `${base}Input`, schemas) }),
      responses: mapValues(responses, (answer) => named(answer, `${base}Answer`, schemas)),
    }
  })
}

/** Returns a body with names for the schemas of its media types or of their `data`. */
function named(body: Json, name: string, schemas: Map<string, Json>): Json {
  const content = body['content'] as Record<string, Json> | undefined
  if (content === undefined) return body
  return {
    ...body,
    content: mapValues(content, (media) => {
      const schema = media['schema'] as Json | undefined
      if (!isNameless(schema)) return media
      const properties = schema['properties'] as Record<string, Json> | undefined
      const data = properties?.['data']
      if (properties?.['status'] === undefined || data === undefined)
        return { ...media, schema: refTo(schema, name, schemas) }
      if (!isNameless(data)) return media
      const dataName = pageName(data) ?? name
      const wrapped = {
        ...schema,
        properties: { ...properties, data: refTo(data, dataName, schemas) },
      }
      return { ...media, schema: wrapped }
    }),
  }
}

/** Returns the name of a page by its items; `null` for other schemas. */
function pageName(data: Json): string | null {
  const items = ((data['properties'] as Record<string, Json> | undefined)?.['items']?.['items'] ??
    {}) as Json
  const item = items['$ref']
  return typeof item === 'string' ? `${item.replace(/^.*\//, '')}Page` : null
}

/**
 * Returns a reference to a schema with this name. If another schema has the name, a number is
 * added.
 */
function refTo(schema: Json, name: string, schemas: Map<string, Json>): Json {
  const text = JSON.stringify(schema)
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? name : `${name}${count}`
    const known = schemas.get(free)
    const isSame = known !== undefined && JSON.stringify({ ...known, title: undefined }) === text
    if (known === undefined) schemas.set(free, { ...schema, title: free })
    if (known === undefined || isSame) return { $ref: `#/components/schemas/${free}` }
  }
}

/**
 * Names every success body around a named schema (`Contact` is returned as `ContactEnvelope`) and
 * refers to it, so that client generators create one type for it. Its example moves to the schema.
 */
export function nameEnvelopes(paths: Paths, schemas: Map<string, Json>): Paths {
  const renamed = (answer: Json): Json => {
    const media = (answer['content'] as Record<string, Json> | undefined)?.['application/json']
    const data = (
      (media?.['schema'] as Json | undefined)?.['properties'] as Record<string, Json> | undefined
    )?.['data']
    const inner = data?.['$ref']
    if (!media || typeof inner !== 'string') return answer
    const name = `${inner.replace(/^.*\//, '')}Envelope`
    if (!schemas.has(name))
      schemas.set(name, { title: name, ...(media['schema'] as Json), examples: [media['example']] })
    const content = {
      ...(answer['content'] as Json),
      'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
    }
    return { ...answer, content }
  }
  return mapOperations(paths, (operation) => ({
    ...operation,
    responses: mapValues(operation['responses'] as Record<string, Json>, renamed),
  }))
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const mapOperations = (paths: Paths, change: (operation: Json) => Json): Paths =>
  mapValues(paths, (item) => mapValues(item, change))
