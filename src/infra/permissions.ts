/**
 * The permissions there are, as keys. The catalogue (`modules/roles/catalog.ts`) fills it in: it
 * lies in a layer above, and everybody below is to write only permissions that exist.
 */
export interface PermissionCatalogue {}

/** A permission of the catalogue: `resource:action`. */
export type Permission = Extract<keyof PermissionCatalogue, string>
