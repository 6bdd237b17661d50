import type { Draft } from '../../parts/draft'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { HEADERS, type TemplateForm } from './form'
import { isFile } from '../../parts/template/header-files'
import { MediaField } from './media'
import { Words } from './words'

/** What a template begins with: nothing, a line of text, a file or a place. */
export function Header({
  draft: { value: form, set },
  path,
}: {
  draft: Draft<TemplateForm>
  path: string
}) {
  const { header } = form
  return (
    <Section title={t('templates.header')}>
      <div className="form">
        <Select
          label={t('templates.header-kind')}
          choices={HEADERS.map((id) => ({ id, label: t(`templates.header.${id}`) }))}
          value={header}
          onChange={(next) => {
            set({ header: next, mediaId: null, headerKept: {} })
          }}
        />
        {header === 'TEXT' && (
          <Words
            name={`${path}.text`}
            label={t('templates.header-text')}
            most={60}
            hasMarks={false}
            value={form.headerText}
            samples={form.headerSamples}
            onChange={(headerText) => {
              set({ headerText })
            }}
            onSamples={(headerSamples) => {
              set({ headerSamples })
            }}
          />
        )}
        {isFile(header) && (
          <MediaField
            accountId={form.accountId}
            format={header}
            mediaId={form.mediaId}
            onChange={(mediaId) => {
              set({ mediaId, headerKept: {} })
            }}
          />
        )}
      </div>
    </Section>
  )
}
