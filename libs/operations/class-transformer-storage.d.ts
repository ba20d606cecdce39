/** Where class-transformer keeps what its decorators say; the package has the types at another place than the code. */
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
