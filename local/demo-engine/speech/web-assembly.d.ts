/** The part that is used here: Node's own types name the interfaces and leave the functions to a browser's library. */
declare namespace WebAssembly {
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: object): Promise<object>;
}
