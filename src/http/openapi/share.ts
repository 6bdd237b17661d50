/** A JSON object. */
type Json = Record<string, unknown>

/** Operations by path and method. */
type Paths = Record<string, Record<string, Json>>

/** From how many equal parameters on one of them is shared. */
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
 * A name that no other parameter has: that of the parameter, with its default where two differ in
 * it; `null` when both are taken.
 */
function freeName(parameter: Json, taken: Record<string, Json>): string | null {
  const plain = pascal(String(parameter['name']))
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

/**
 * Gives a name to every success body around a named schema (`Contact` is answered as a
 * `ContactEnvelope`) and refers to it, so that client generators make one type of it. Its example
 * moves to the schema.
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
