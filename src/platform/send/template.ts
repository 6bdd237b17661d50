/** A file of a template that is sent: ours by its id, until the platform's id of it is known. */
export interface FileParameter {
  media_id: string
  filename?: string
}

/**
 * One value the platform is handed for a template; `image`, `video` and `document` name a file of
 * ours.
 */
export type TemplateParameter = { type: string; parameter_name?: string } & Record<string, unknown>

/** The values of one part of a template. */
export interface TemplateValuesPart {
  type: 'header' | 'body' | 'button' | 'limited_time_offer'
  sub_type?: string
  index?: string
  parameters: TemplateParameter[]
}

/** The values of a template as the platform takes them, but for the files. */
export type TemplatePart =
  | TemplateValuesPart
  | { type: 'carousel'; cards: { card_index: number; components: TemplateValuesPart[] }[] }

/** A template as it is handed over: which one, and what is filled in. */
export interface TemplateToSend {
  name: string
  language: string
  components: TemplatePart[]
}

const FILES = ['image', 'video', 'document'] as const

const fileOf = (parameter: TemplateParameter): { kind: string; file: FileParameter } | null => {
  const kind = FILES.find((known) => known === parameter.type)
  return kind === undefined ? null : { kind, file: parameter[kind] as FileParameter }
}

const partsOf = (parts: readonly TemplatePart[]): TemplateValuesPart[] =>
  parts.flatMap((part) =>
    part.type === 'carousel' ? part.cards.flatMap(({ components }) => components) : [part],
  )

/** Our ids of the files a template carries: of its header, or of its cards. */
export const filesOfTemplate = (template: TemplateToSend): string[] => [
  ...new Set(
    partsOf(template.components).flatMap(({ parameters }) =>
      parameters.flatMap((parameter) => fileOf(parameter)?.file.media_id ?? []),
    ),
  ),
]

/** The platform's body for a template. `idOf` tells the platform's id of each file. */
export function templatePart(
  template: TemplateToSend,
  idOf: (mediaId: string) => string | null,
): Record<string, unknown> {
  const withIds = ({ parameters, ...part }: TemplateValuesPart) => ({
    ...part,
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
  const components = template.components.map((part) =>
    part.type === 'carousel'
      ? {
          ...part,
          cards: part.cards.map((card) => ({ ...card, components: card.components.map(withIds) })),
        }
      : withIds(part),
  )
  return {
    name: template.name,
    language: { code: template.language },
    ...(components.length === 0 ? {} : { components }),
  }
}
