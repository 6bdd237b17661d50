/** A template file: our media ID, until the platform's media ID is known. */
export interface FileParameter {
  media_id: string
  filename?: string
}

/**
 * A template parameter as the platform takes it. `image`, `video` and `document` hold our media ID.
 */
export type TemplateParameter = { type: string; parameter_name?: string } & Record<string, unknown>

/** The parameters of one template component. */
export interface TemplateComponentParameters {
  type: 'header' | 'body' | 'button' | 'limited_time_offer'
  sub_type?: string
  index?: string
  parameters: TemplateParameter[]
}

/** Template parameters as the platform takes them, except for files. */
export type TemplateComponent =
  | TemplateComponentParameters
  | { type: 'carousel'; cards: { card_index: number; components: TemplateComponentParameters[] }[] }

/** A template to send: which one, and its parameters. */
export interface TemplateToSend {
  name: string
  language: string
  components: TemplateComponent[]
}

const FILES = ['image', 'video', 'document'] as const

const fileOf = (parameter: TemplateParameter): { kind: string; file: FileParameter } | null => {
  const kind = FILES.find((known) => known === parameter.type)
  return kind === undefined ? null : { kind, file: parameter[kind] as FileParameter }
}

const flattenCards = (components: readonly TemplateComponent[]): TemplateComponentParameters[] =>
  components.flatMap((component) =>
    component.type === 'carousel'
      ? component.cards.flatMap(({ components }) => components)
      : [component],
  )

/** Returns our media IDs of a template's header and cards. */
export const filesOfTemplate = (template: TemplateToSend): string[] => [
  ...new Set(
    flattenCards(template.components).flatMap(({ parameters }) =>
      parameters.flatMap((parameter) => fileOf(parameter)?.file.media_id ?? []),
    ),
  ),
]

/** Builds the platform's `template` object. `idOf` returns the platform's media ID of a file. */
export function buildTemplate(
  template: TemplateToSend,
  idOf: (mediaId: string) => string | null,
): Record<string, unknown> {
  const resolveFiles = ({ parameters, ...component }: TemplateComponentParameters) => ({
    ...component,
    parameters: parameters.map((parameter) => {
      const found = fileOf(parameter)
      if (found === null) return parameter
      const { media_id, filename } = found.file
      return {
        ...parameter,
        [found.kind]: { id: idOf(media_id), ...(filename === undefined ? {} : { filename }) },
      }
    }),
  })
  const components = template.components.map((component) =>
    component.type === 'carousel'
      ? {
          ...component,
          cards: component.cards.map((card) => ({
            ...card,
            components: card.components.map(resolveFiles),
          })),
        }
      : resolveFiles(component),
  )
  return {
    name: template.name,
    language: { code: template.language },
    ...(components.length === 0 ? {} : { components }),
  }
}
