import { describe, expect, test } from "vitest";
import { LoopRepository, protocolOf } from "../src/index.ts";

describe("the address of a repository", () => {
  test.for([
    ["https://example.org/shop.git", "https"],
    ["http://127.0.0.1:8080/shop.git", "http"],
    ["ssh://git@example.org:2222/shop.git", "ssh"],
    ["git@example.org:team/shop.git", "ssh"],
    ["example.org:shop.git", "ssh"],
    ["git://example.org/shop.git", "git"],
    ["file:///srv/git/shop.git", "file"],
    ["/srv/git/shop.git", "file"],
  ])("%s is reached by %s", ([url = "", protocol]) => {
    expect(LoopRepository.parse({ url })).toEqual({ url });
    expect(protocolOf(url)).toBe(protocol);
  });

  test.for([
    ["https://me:s3cret@example.org/shop.git", "credential helper"],
    ["https://s3cret@example.org/shop.git", "credential helper"],
    ["https://example.org/shop.git?token=s3cret", "credential helper"],
    ["ssh://git:s3cret@example.org/shop.git", "credential helper"],
    ["ext::sh -c touch% /tmp/x", "no spaces"],
    ["ext::sh", "use https://HOST/PATH"],
    ["ext://sh", "git is not asked to use ext://"],
    ["--upload-pack=touch", "use https://HOST/PATH"],
    ["-u@example.org:x", "use https://HOST/PATH"],
    ["ssh://-oProxyCommand=x/shop.git", "name a host"],
    ["ssh://-x@example.org/shop.git", "name a user"],
    ["file://host/shop.git", "use file:///PATH"],
    ["../shop.git", "use https://HOST/PATH"],
    ["https:///shop.git", "name a host"],
    ["/srv/a\nb", "no spaces"],
    ["", "use https://HOST/PATH"],
  ])("%j is refused, without repeating a secret", ([url = "", words = ""]) => {
    const { error } = LoopRepository.safeParse({ url });
    expect(error?.issues[0]?.message).toContain(words);
    expect(JSON.stringify(error?.issues)).not.toContain("s3cret");
  });

  test.for(["main", "release/1.2", "v1.0", "refs/heads/main", "0123abc"])(
    "%s may be a ref",
    (ref) => {
      expect(LoopRepository.safeParse({ url: "/a", ref }).success).toBe(true);
    },
  );

  test.for(["", "-x", "a..b", "a b", "a^", "a~1", "a:b", "/a", "a/", "a.lock", "@{u}", "a\\b"])(
    "%j is no ref",
    (ref) => {
      expect(LoopRepository.safeParse({ url: "/a", ref }).success).toBe(false);
    },
  );
});
