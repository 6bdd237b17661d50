import { InvalidError, type FieldProblem } from '../../../../lib/errors'
import { randomHex } from '../../../../lib/random'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { differences, recordAudit } from '../../../organization/audit/record'
import { enqueueFileDeletionIn } from '../delete-files'
import { headOf, sizeOf } from '../measure'
import type { BrandingView } from './model'
import { findBranding, getBranding, type BrandingRow } from './queries'
import { isReadableUnderWhite, logoTypeOf } from './rules'
import { organizationBranding } from './table'

/** Longest side of a logo, pixels. */
const MAX_SIDE = 2_000

/** Changes to the branding. `undefined` leaves a part as it is, `null` removes it. */
interface BrandingChange {
  logo?: StagedFile | null | undefined
  accent?: string | null | undefined
}

type LogoColumns = Pick<BrandingRow, 'logoName' | 'storedAs' | 'mimeType' | 'sizeBytes' | 'sha256'>

const NO_LOGO: LogoColumns = {
  logoName: null,
  storedAs: null,
  mimeType: null,
  sizeBytes: null,
  sha256: null,
}

/**
 * Changes the logo and the accent color of the organization. Throws InvalidError if nothing is
 * sent, for another file than a PNG, JPEG or WebP image of up to 2,000 pixels a side, and for a
 * color on which white text cannot be read.
 */
export async function updateBranding(ctx: Ctx, change: BrandingChange): Promise<BrandingView> {
  const { logo, accent } = change
  if (logo === undefined && accent === undefined)
    throw invalid({ path: 'body', message: 'must have `logo` or `accent`' })
  if (typeof accent === 'string' && !isReadableUnderWhite(accent))
    throw invalid({
      path: 'body.accent',
      message: 'is too light: white text on it needs a contrast of 4.5:1',
    })
  const kept: Partial<LogoColumns> =
    logo === undefined ? {} : logo === null ? NO_LOGO : await keepLogo(ctx, logo)
  try {
    return store(ctx, { ...kept, ...(accent === undefined ? {} : { accent }) })
  } catch (error) {
    if (kept.storedAs != null) await ctx.files.remove(kept.storedAs)
    throw error
  }
}

function store(
  ctx: Ctx,
  changes: Partial<LogoColumns & Pick<BrandingRow, 'accent'>>,
): BrandingView {
  return transact(ctx.db, (tx) => {
    const [row, before] = [findBranding(ctx), getBranding(ctx)]
    const updatedAtMs = ctx.clock.nowMs()
    tx.insert(organizationBranding)
      .values({ organizationId: ctx.organizationId, ...changes, updatedAtMs })
      .onConflictDoUpdate({
        target: organizationBranding.organizationId,
        set: { ...changes, updatedAtMs },
      })
      .run()
    const former = row?.storedAs ?? null
    if (former !== null && changes.storedAs !== undefined) enqueueFileDeletionIn(tx, ctx, [former])
    const after = getBranding(ctx)
    const changed = differences(before, after)
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'branding',
        resourceId: ctx.organizationId,
        resourceName: after.name,
        changes: changed,
      })
    return after
  })
}

/** Checks a logo and keeps its file under a new public name. */
async function keepLogo(ctx: Ctx, file: StagedFile): Promise<LogoColumns> {
  const head = await headOf(file.path)
  const mimeType = logoTypeOf(head)
  const { width, height } = sizeOf(mimeType, head)
  const isFit = width !== null && height !== null && Math.max(width, height) <= MAX_SIDE
  if (mimeType === null || !isFit)
    throw invalid({
      path: 'body.logo',
      message: `must be a PNG, JPEG or WebP image of up to ${MAX_SIDE} pixels a side`,
    })
  const { sizeBytes, sha256 } = file.facts
  const storedAs = await ctx.files.keep(file)
  return { logoName: randomHex(16), storedAs, mimeType, sizeBytes, sha256 }
}

const invalid = (problem: FieldProblem): InvalidError =>
  new InvalidError(`\`${problem.path.replace('body.', '')}\` ${problem.message}.`, {
    code: 'invalid_input',
    errors: [problem],
  })
