/** An OpenAPI document, as far as it is read here. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

interface Operation {
  deprecated?: boolean
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

interface Parameter {
  in: string
  name: string
  deprecated?: boolean
}

interface Schema {
  $ref?: string
  deprecated?: boolean
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

/** Parts of an API, and whether each is deprecated: routes, parameters and fields. */
export type ApiParts = Record<string, boolean>

/** Deepest field that is listed. */
const DEPTH = 6

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? ''

/** Lists the routes of an API with their parameters and the fields of requests and successful answers. */
export function apiPartsOf(document: Document): ApiParts {
  const parts: ApiParts = {}
  const { schemas = {}, parameters = {} } = document.components
  const add = (name: string, isDeprecated: boolean | undefined): void => {
    parts[name] = isDeprecated === true
  }
  const addFields = (schema: Schema | undefined, at: string, depth = 0): void => {
    if (!schema || depth > DEPTH) return
    const { $ref } = schema
    if ($ref !== undefined) addFields(schemas[nameIn($ref)], at, depth)
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      addFields(one, at, depth)
    addFields(schema.items, at, depth + 1)
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      add(`${at}.${name}`, field.deprecated)
      addFields(field, `${at}.${name}`, depth + 1)
    }
  }
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`
      add(route, operation.deprecated)
      for (const given of operation.parameters ?? []) {
        const parameter = '$ref' in given ? parameters[nameIn(given.$ref)] : given
        if (parameter) add(`${route} ${parameter.in} ${parameter.name}`, parameter.deprecated)
      }
      for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
        if (type === 'application/json') addFields(schema, `${route} body`)
      for (const [status, { content }] of Object.entries(operation.responses))
        if (status.startsWith('2'))
          addFields(content?.['application/json']?.schema, `${route} answer`)
    }
  return parts
}
