import type { Template } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { FoundSelect } from '../../../parts/found-select'
import { Loaded } from '../../../parts/loaded'
import { messageOf } from '../../../parts/phone/message'
import { PhonePreview } from '../../../parts/phone/preview'
import { ValueFields } from '../../../parts/template/value-fields'
import { formatLanguage } from '../../../texts/format'
import { t } from '../../../texts/texts'
import type { Content } from './answer'

interface Props {
  content: Content
  onChange: (changes: Partial<Content>) => void
}

/** Templates that WhatsApp lets pass. */
const isSent = ({ status }: Pick<Template, 'status'>): boolean =>
  ['APPROVED', 'REINSTATED', 'FLAGGED'].includes(status)

/** Under this name a file takes the place of that of the template. */
const FILE = 'header_media_id'

/** The template of an answer, and its values. */
export function TemplateFields({ content, onChange }: Props) {
  const { template_id: id, params = {} } = content
  const mayRead = useCan('templates:read')
  // a value may be a file
  const mayFill = useCan('messages:create')
  const result = useApi(
    'GET /api/templates/{id}',
    { params: { id: id ?? '' } },
    mayRead && id !== undefined,
  )
  return (
    <>
      <FoundSelect<{ id: string; name: string; language: string; status: Template['status'] }>
        kind="template"
        label={t('bot.rules.kind.template')}
        isChoice={isSent}
        labelOf={({ name, language }) => `${name} · ${formatLanguage(language)}`}
        value={id ?? null}
        onChange={(chosen) => {
          onChange({ template_id: chosen, params: {} })
        }}
      />
      {id !== undefined && mayRead && mayFill && (
        <Loaded result={result} rows={2}>
          {(template) => (
            <>
              <ValueFields
                template={template}
                values={params}
                own={params[FILE] ?? null}
                onFile={(file) => {
                  onChange({ params: { ...params, [FILE]: file } })
                }}
                onChange={(name, value) => {
                  onChange({ params: { ...params, [name]: value } })
                }}
              />
              <p className="muted small">
                {t('bot.rules.template-hint', { variable: '{{ contact_name }}' })}
              </p>
              <PhonePreview
                label={t('bot.rules.preview')}
                message={messageOf(template, { body: params })}
              />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}
