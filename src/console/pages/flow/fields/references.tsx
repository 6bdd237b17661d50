import type { Data } from '../../../api/client'
import { call } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Checkbox } from '../../../parts/choice'
import { FoundSelect, useFound } from '../../../parts/found-select'
import { Select } from '../../../parts/select'
import { sentenceOf, Trouble } from '../../../parts/state'
import { titleOf } from '../../../parts/template/title'
import { nameOfVariable, wordsOf } from '../../../parts/template/variables'
import { Upload } from '../../../parts/upload'
import { useFileUpload } from '../../../parts/use-file-upload'
import { formatLanguage } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { isObject, textIn } from '../model/graph'
import type { FieldAs, FieldProps } from './shape'
import { TeamSelect } from './team-select'
import { VariableText } from './text'

/** The largest file that WhatsApp takes. */
const MOST_BYTES = 100 * 1_024 * 1_024

/** Stands for no choice, in lists. */
const NONE = ''

/** A setting that names something of the organization. */
export function ReferenceSetting(props: FieldProps<FieldAs<'reference'>>) {
  const { field, config, label, hint, onChange } = props
  const value = textIn(config[field.name]) || null
  const set = (id: string): void => {
    onChange({ [field.name]: id === NONE ? undefined : id })
  }
  const shared = { label, value, onChange: set, ...(hint === undefined ? {} : { hint }) }
  const { isAssign } = { isAssign: props.node.type === 'assign' }
  switch (field.to) {
    case 'team':
      return (
        <TeamSelect
          {...shared}
          value={value ?? (isAssign ? NONE : 'general')}
          first={
            isAssign
              ? [{ id: NONE, label: t('flow.nobody') }]
              : [{ id: 'general', label: t('flow.general-queue') }]
          }
          onChange={(id) => {
            onChange({
              team_id: id === NONE ? undefined : id,
              ...(isAssign && id !== NONE ? { user_id: undefined } : {}),
            })
          }}
        />
      )
    case 'colleague':
      return (
        <FoundSelect
          {...shared}
          kind="colleague"
          value={value ?? NONE}
          first={[{ id: NONE, label: t('flow.nobody') }]}
          onChange={(id) => {
            onChange({
              user_id: id === NONE ? undefined : id,
              ...(id === NONE ? {} : { team_id: undefined }),
            })
          }}
        />
      )
    case 'template':
      return <TemplateSelect {...shared} />
    case 'form':
      return <FormSelect {...shared} />
    case 'flow':
      return <FoundSelect {...shared} kind="botFlow" />
  }
}

interface SelectProps {
  label: string
  hint?: string
  value: string | null
  onChange: (id: string) => void
}

/** Most entries that are listed. */
const MOST = 100

function TemplateSelect(props: SelectProps) {
  const query = { status: 'APPROVED', limit: MOST }
  const may = useCan('templates:read')
  const { data } = useApi('GET /api/templates', { query }, may)
  const choices = (data?.items ?? []).map((template) => ({
    ...{ id: template.id, label: titleOf(template) },
    hint: formatLanguage(template.language),
  }))
  return <Select {...props} choices={choices} />
}

function FormSelect(props: SelectProps) {
  const { data } = useApi('GET /api/flows', { query: { limit: MOST } })
  const choices = (data?.items ?? []).map(({ id, name }) => ({ id, label: name }))
  return <Select {...props} choices={choices} />
}

/** The values of a template, each a text with values of the flow. */
export function ParamsSetting({ node, config, path, onChange }: FieldProps<FieldAs<'params'>>) {
  const id = textIn(config['template_id'])
  const may = useCan('templates:read')
  const { data } = useApi('GET /api/templates/{id}', { params: { id } }, may && id !== '')
  const params = isObject(config['params']) ? config['params'] : {}
  const words = data ? wordsOf(data as Data<'GET /api/templates/{id}'>) : []
  return words
    .filter(({ component, card }) => component === 'BODY' && card === null)
    .map((one) => {
      const name = nameOfVariable(one)
      return (
        <VariableText
          key={name}
          node={node.id}
          name={`${path}.${name}`}
          label={t('flow.param', { name })}
          {...(one.example === null
            ? {}
            : { hint: t('flow.param-example', { example: one.example }) })}
          rows={1}
          most={1_024}
          value={textIn(params[name])}
          onChange={(value) => {
            onChange({ params: { ...params, [name]: value } })
          }}
        />
      )
    })
}

/** The file that a node sends. */
export function FileSetting({ config, label, onChange }: FieldProps<FieldAs<'file'>>) {
  const maySend = useCan('messages:create')
  const { isBusy, error, run, cancel } = useFileUpload()
  const id = textIn(config['media_id'])
  const isPicture = config['kind'] === 'image' || config['kind'] === 'sticker'
  return (
    <div className="field">
      <span className="react-aria-Label">{label}</span>
      {id !== '' && isPicture && <img className="flow-file" src={`/api/media/${id}`} alt="" />}
      {id !== '' && !isPicture && <p className="muted">{t('flow.file-there')}</p>}
      {maySend && (
        <Upload
          label={label}
          hint={t('flow.file-hint')}
          accept={ACCEPTED[textIn(config['kind'])] ?? '*'}
          maxBytes={MOST_BYTES}
          isBusy={isBusy}
          onFile={(file) => {
            const body = new FormData()
            body.set('file', file)
            run(async (signal) => {
              const media = await call('POST /api/media', { body, signal })
              onChange({ media_id: media.id, url: undefined })
            })
          }}
          onCancel={cancel}
        />
      )}
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
    </div>
  )
}

const ACCEPTED: Readonly<Record<string, string>> = {
  image: 'image/jpeg,image/png',
  video: 'video/mp4,video/3gpp',
  audio: 'audio/*',
  sticker: 'image/webp',
}

/** Tags that a node puts on a contact, or takes off. */
export function TagsSetting({ field, config, label, onChange }: FieldProps<FieldAs<'tags'>>) {
  const { entries } = useFound('tag')
  const chosen = new Set(Array.isArray(config[field.name]) ? (config[field.name] as string[]) : [])
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {entries.length === 0 && <p className="muted">{t('flow.no-tags')}</p>}
      <div className="flow-tags">
        {entries.map(({ id, name }) => (
          <Checkbox
            key={id}
            isSelected={chosen.has(id)}
            onChange={(isOn) => {
              const next = new Set(chosen)
              if (isOn) next.add(id)
              else next.delete(id)
              onChange({ [field.name]: [...next] })
            }}
          >
            <bdi>{name}</bdi>
          </Checkbox>
        ))}
      </div>
    </fieldset>
  )
}

/** Own fields of a contact, and what a node writes into each. */
export function AttributesSetting({
  node,
  config,
  path,
  label,
  onChange,
}: FieldProps<FieldAs<'attributes'>>) {
  const may = useCan('contacts:read')
  const { data } = useApi('GET /api/contact-attributes', {}, may)
  const values = isObject(config['attributes']) ? config['attributes'] : {}
  const known = data?.items ?? []
  const odd = Object.keys(values).filter((key) => !known.some((one) => one.key === key))
  if (known.length === 0 && odd.length === 0) return null
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {[...known, ...odd.map((key) => ({ key, label: key }))].map((one) => (
        <VariableText
          key={one.key}
          node={node.id}
          name={`${path}.${one.key}`}
          label={one.label}
          rows={1}
          most={1_024}
          value={textIn(values[one.key])}
          onChange={(value) => {
            const { [one.key]: _old, ...others } = values
            const next = value === '' ? others : { ...others, [one.key]: value }
            onChange({ attributes: Object.keys(next).length === 0 ? undefined : next })
          }}
        />
      ))}
    </fieldset>
  )
}
