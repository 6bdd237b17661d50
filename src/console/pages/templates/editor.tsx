import type { Template } from '../../api/shapes'
import { CountedField } from '../../parts/counted'
import { Checkbox } from '../../parts/choice'
import type { Draft } from '../../parts/draft'
import { FoundSelect } from '../../parts/found-select'
import { Section } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Select } from '../../parts/select'
import { formatLanguage } from '../../texts/format'
import { t } from '../../texts/texts'
import { Buttons } from './buttons'
import { Cards } from './cards'
import { Code } from './code'
import { pathsOf } from './content'
import { Delivery } from './delivery'
import { CATEGORIES, KINDS, type TemplateForm } from './form'
import { Header } from './header'
import { Words } from './words'

/** Languages in which WhatsApp takes templates. */
const LANGUAGES = (
  'af sq ar az bn bg ca zh_CN zh_HK zh_TW hr cs da nl en en_GB en_US et fil fi fr ka de el gu ha ' +
  'he hi hu id ga it ja kn kk rw_RW ko ky_KG lo lv lt mk ms ml mr nb fa pl pt_BR pt_PT pa ro ru ' +
  'sr sk sl es es_AR es_ES es_MX sw sv ta te th tr uk ur uz vi zu'
).split(' ')

/** States in which WhatsApp approved a template, so that its category stays. */
const APPROVED = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

interface Props {
  draft: Draft<TemplateForm>
  /** `null` for a new one, whose number, name and language can be chosen. */
  template: Template | null
}

/** What a template is called, what it is for, and every part of its message. */
export function Editor({ draft, template }: Props) {
  const { value: form, set } = draft
  return (
    <>
      <Section title={t('templates.about')}>
        <div className="form">
          {template === null && <Naming draft={draft} />}
          <Select
            name="category"
            label={t('templates.category')}
            choices={CATEGORIES.map((id) => ({
              id,
              label: t(`templates.category.${id}`),
              hint: t(`templates.category-hint.${id}`),
            }))}
            hint={t(`templates.category-hint.${form.category}`)}
            isDisabled={template !== null && APPROVED.has(template.status)}
            value={form.category}
            onChange={(category) => {
              set({ category })
            }}
          />
          {form.category !== 'AUTHENTICATION' && (
            <Select
              label={t('templates.kind')}
              choices={kindsOf(form).map((id) => ({ id, label: t(`templates.kind.${id}`) }))}
              value={form.kind}
              onChange={(kind) => {
                set({ kind })
              }}
            />
          )}
        </div>
      </Section>
      {form.category === 'AUTHENTICATION' ? <Code draft={draft} /> : <Message draft={draft} />}
      <Delivery draft={draft} isSubmitted={template !== null && template.platform_id !== null} />
    </>
  )
}

/** Only advertising has offers; a kind that was chosen before stays until another one is. */
const kindsOf = ({ category, kind }: TemplateForm) =>
  KINDS.filter((one) => one !== 'OFFER' || category === 'MARKETING' || kind === 'OFFER')

function Naming({ draft: { value: form, set } }: { draft: Draft<TemplateForm> }) {
  return (
    <>
      <FoundSelect
        kind="account"
        label={t('templates.number')}
        value={form.accountId === '' ? null : form.accountId}
        onChange={(accountId) => {
          set({ accountId })
        }}
      />
      <CountedField
        name="name"
        label={t('contact.name')}
        hint={t('templates.name-hint')}
        most={512}
        value={form.name}
        onChange={(name) => {
          set({ name })
        }}
      />
      <SearchSelect
        label={t('templates.language')}
        choices={LANGUAGES.map((id) => ({ id, label: formatLanguage(id) }))}
        value={form.language}
        onChange={(language) => {
          set({ language })
        }}
      />
    </>
  )
}

function Message({ draft }: { draft: Draft<TemplateForm> }) {
  const { value: form, set } = draft
  const paths = pathsOf(form)
  return (
    <>
      {form.kind !== 'CAROUSEL' && <Header draft={draft} path={paths.HEADER ?? ''} />}
      <Section title={t('templates.body')}>
        <div className="form">
          {form.kind === 'OFFER' && (
            <>
              <CountedField
                name={`${paths.LIMITED_TIME_OFFER ?? ''}.text`}
                label={t('templates.offer')}
                most={16}
                value={form.offer}
                onChange={(offer) => {
                  set({ offer })
                }}
              />
              <Checkbox
                isSelected={form.hasEnd}
                onChange={(hasEnd) => {
                  set({ hasEnd })
                }}
              >
                {t('templates.offer-end')}
              </Checkbox>
            </>
          )}
          <Words
            name={`${paths.BODY ?? ''}.text`}
            label={t('templates.text')}
            most={1_024}
            value={form.body}
            samples={form.samples}
            onChange={(body) => {
              set({ body })
            }}
            onSamples={(samples) => {
              set({ samples })
            }}
          />
          {form.kind === 'PLAIN' && (
            <CountedField
              name={`${paths.FOOTER ?? ''}.text`}
              label={t('templates.footer')}
              hint={t('templates.footer-hint')}
              most={60}
              value={form.footer}
              onChange={(footer) => {
                set({ footer })
              }}
            />
          )}
        </div>
      </Section>
      <Section title={t(form.kind === 'CAROUSEL' ? 'templates.cards' : 'templates.buttons')}>
        {form.kind === 'CAROUSEL' ? (
          <Cards
            form={form}
            path={paths.CAROUSEL ?? ''}
            onChange={(cards) => {
              set({ cards })
            }}
          />
        ) : (
          <Buttons
            path={`${paths.BUTTONS ?? ''}.buttons`}
            most={10}
            buttons={form.buttons}
            onChange={(buttons) => {
              set({ buttons })
            }}
          />
        )}
      </Section>
    </>
  )
}
