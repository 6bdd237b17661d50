/**
 * The generated part of the Python client: a TypedDict for each object of the API, and a method for
 * each operation. Written by hand, because the generators that were tried (openapi-python-client
 * 0.29, openapi-generator 7.23) make some 2,000 files of classes that need httpx or pydantic, where
 * the standard library needs none and a dict is what JSON is in Python.
 */
import {
  isDownload,
  operationsIn,
  takesKey,
  type ApiDocument,
  type Operation,
  type Schema,
} from '../../console/api/generate'

const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
)
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text)
const lastWord = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
const pascal = (text: string): string =>
  text
    .split(/\W+|_/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
const snake = (text: string): string => text.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
const parameterName = (name: string): string => {
  const word = name.replaceAll(/\W/g, '_')
  return isName(word) ? word : `${word}_`
}
/** A docstring: one paragraph after the other, with nothing that ends it. */
const docOf = (text: string, indent: string): string =>
  `${indent}"""${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', "'")
    .replaceAll('\n', `\n${indent}`)
    .replaceAll(/[ \t]+$/gm, '')}"""`

/** Returns a text in single quotes, because types stand in double ones. */
const quoted = (value: unknown): string =>
  `'${(JSON.stringify(value) ?? '').replace(/^"|"$/g, '').replaceAll("'", String.raw`\'`)}'`

/** Collects the types that are written: each object that has fields gets a name. */
class Types {
  private readonly classes = new Map<string, string>()

  constructor(private readonly schemas: Record<string, Schema>) {
    for (const [name, schema] of Object.entries(schemas))
      if (schema.properties) this.object(name, schema)
      else this.classes.set(name, `${name}: TypeAlias = "${this.of(schema, name)}"`)
  }

  /** Returns the type of a schema; an object without a name gets this one. */
  of(schema: Schema | undefined, name: string): string {
    if (!schema) return 'Any'
    if (schema.$ref !== undefined) return lastWord(schema.$ref)
    if ('const' in schema) return this.literal([schema.const])
    if (schema.enum) return this.literal(schema.enum)
    const options = schema.anyOf ?? schema.oneOf
    if (options) return union(options.map((one, nth) => this.of(one, `${name}${nth + 1}`)))
    if (schema.allOf) return 'Any'
    if (Array.isArray(schema.type))
      return union(schema.type.map((type) => this.of({ ...schema, type }, name)))
    return this.plain(schema, name)
  }

  private literal(values: unknown[]): string {
    const words = values.filter((value) => value !== null)
    const texts = words.map((value) =>
      typeof value === 'boolean' ? (value ? 'True' : 'False') : quoted(value),
    )
    const isNumber = words.some((value) => typeof value === 'number')
    return union([
      ...(words.length > 0 ? [isNumber ? 'float' : `Literal[${texts.join(', ')}]`] : []),
      ...(words.length < values.length ? ['None'] : []),
    ])
  }

  private plain(schema: Schema, name: string): string {
    switch (schema.type) {
      case 'string':
        return schema.format === 'binary' ? 'File' : 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'boolean':
        return 'bool'
      case 'null':
        return 'None'
      case 'array':
        return `list[${this.of(schema.items, `${name}Item`)}]`
      default:
        return schema.properties ? this.object(this.free(name), schema) : 'dict[str, Any]'
    }
  }

  /** Returns the name, or with a number behind it if it is taken. */
  private free(name: string): string {
    for (let nth = 2; ; nth += 1) {
      const one = nth === 2 ? name : `${name}${nth}`
      if (!this.classes.has(one) && !(one in this.schemas)) return one
    }
  }

  /** Writes the class of an object. Returns its name. */
  private object(name: string, { properties = {}, required = [], description }: Schema): string {
    this.classes.set(name, '')
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.of(schema, `${name}${pascal(field)}`)
      const whole = required.includes(field) ? type : `NotRequired[${type}]`
      return { field, whole, about: schema.description }
    })
    const lines = fields.every(({ field }) => isName(field))
      ? [
          `class ${name}(TypedDict):`,
          ...(description === undefined ? [] : [docOf(description, '    ')]),
          ...fields.flatMap(({ field, whole, about }) => [
            `    ${field}: ${whole}`,
            ...(about === undefined ? [] : [docOf(about, '    ')]),
          ]),
          ...(fields.length === 0 ? ['    pass'] : []),
        ]
      : [
          `${name} = TypedDict("${name}", {`,
          ...fields.map(({ field, whole }) => `    "${field}": "${whole}",`),
          '})',
        ]
    this.classes.set(name, lines.join('\n'))
    return name
  }

  get text(): string {
    return [...this.classes.values()].join('\n\n')
  }
}

/** Words between client and server, which `events` deals with. */
const CONTROL = ['ready', 'pong', 'resumed', 'resync', 'subscribed', 'authenticated']

/** Returns what `events` yields. */
function eventsOf({ components: { schemas } }: ApiDocument, types: Types): string {
  const frames = (schemas['ServerFrame']?.oneOf ?? [])
    .map((one) => lastWord(one.$ref ?? ''))
    .filter((name) => !CONTROL.includes(String(schemas[name]?.properties?.['type']?.const)))
  const reason = schemas['ServerResyncFrame']?.properties?.['payload']?.properties?.['reason']
  return `class ResyncPayload(TypedDict):
    reason: Literal['first_start'] | ${types.of(reason, 'ResyncReason')}
    log: str
    seq: int


class Resync(TypedDict):
    """Events may be missing: load what you need with the API."""

    type: Literal['resync']
    payload: ResyncPayload
    seq: None
    at: str


SwitchboardEvent: TypeAlias = "${[...frames, 'Resync'].join(' | ')}"`
}

const union = (parts: string[]): string => [...new Set(parts)].join(' | ')

/** What an operation takes, as a Python method does. */
interface Method {
  signature: string[]
  path: string[]
  query: string[]
  extra: string[]
}

function methodOf(document: ApiDocument, operation: Operation, name: string, types: Types): Method {
  const { schemas: _, parameters: shared } = document.components
  const all = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : (shared[lastWord(one.$ref)] ?? one),
  )
  const typed = (where: string) =>
    all
      .filter((one) => one.in === where)
      .map(({ name: own, required, schema }) => ({
        own,
        python: parameterName(own),
        type: types.of(schema, `${name}${pascal(own)}`),
        isRequired: required === true,
      }))
  const pair = ({ own, python }: { own: string; python: string }): string => `"${own}": ${python}`
  const [path, query] = [typed('path'), typed('query')]
  const { content = {}, required = false } = operation.requestBody ?? {}
  const [body, form] = [content['application/json']?.schema, content['multipart/form-data']?.schema]
  const bodyType = types.of(body, `${name}Body`)
  const isOptional = !required || form !== undefined
  return {
    signature: [
      ...path.map(({ python }) => `${python}: str`),
      ...(body ? [`body: ${bodyType}${isOptional ? ' | None = None' : ''}`] : []),
      ...(form && !body ? [`form: ${types.of(form, `${name}Form`)}`] : []),
      '*',
      ...(form && body ? [`form: ${types.of(form, `${name}Form`)} | None = None`] : []),
      ...query.map(({ python, type, isRequired }) =>
        isRequired ? `${python}: ${type}` : `${python}: ${type} | None = None`,
      ),
      '**options: Unpack[RequestOptions]',
    ].filter((one, nth, list) => one !== '*' || list.length > nth + 2),
    path: path.map(pair),
    query: query.map(pair),
    extra: [
      ...(body ? ['body=body'] : []),
      ...(form ? ['form=form'] : []),
      ...(takesKey(operation) ? ['keyed=True'] : []),
      ...(isDownload(operation) ? ['file=True'] : []),
    ],
  }
}

/** Returns the name of what an operation answers. */
function resultOf({ components }: ApiDocument, operation: Operation, name: string, types: Types) {
  if (isDownload(operation)) return 'Download'
  const good = Object.entries(operation.responses ?? {}).filter(([status]) =>
    status.startsWith('2'),
  )
  const datas = good.map(([, { content }]) => {
    const schema = content?.['application/json']?.schema
    const envelope = schema?.$ref ? components.schemas[lastWord(schema.$ref)] : schema
    return types.of(envelope?.properties?.['data'], `${name}Data`)
  })
  return union(datas)
}

/** Returns the generated modules by their names. */
export function pythonOf(document: ApiDocument): { 'types.py': string; '_api.py': string } {
  const types = new Types(document.components.schemas)
  const methods = operationsIn(document).map(([route, operation]) => {
    const [verb = '', address = ''] = route.split(' ')
    const { operationId = '', summary = '' } = operation
    const name = pascal(operationId)
    const { signature, path, query, extra } = methodOf(document, operation, name, types)
    const result = resultOf(document, operation, name, types)
    const about = `${summary}: \`${route}\`.`
    const args = [`"${verb}"`, `"${address}"`, `{${path.join(', ')}}`, `{${query.join(', ')}}`]
    return `    def ${snake(operationId)}(self, ${signature.join(', ')}) -> ${result}:
${docOf(about, '        ')}
        return self._send(${[...args, 'options', ...extra].join(', ')})`
  })
  const head = '# Generated from the OpenAPI document of the server. Do not edit.'
  return {
    'types.py': `"""The objects of the API."""
${head}
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ._files import File


${types.text}

${eventsOf(document, types)}
`,
    '_api.py': `"""The operations of the API."""
${head}
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing import Unpack

    from ._files import Download, File
    from ._request import RequestOptions
    from .types import *


class Api:
    """Each operation of the API as a method."""

    def __init__(self, send: Any) -> None:
        self._send = send

${methods.join('\n\n')}
`,
  }
}
