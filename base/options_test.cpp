#include "base/options.h"

#include <gtest/gtest.h>

namespace hipr {
namespace {

struct Parsed {
  bool verbose = false;
  std::string file;
  std::uint16_t port = 1;
  std::vector<std::string> words;
  Status status;
};

std::vector<Option> table(Parsed& p) {
  return {{"verbose", 'v', nullptr, flag(p.verbose), "say more"},
          {"file", 0, "FILE", text(p.file), "where it goes"},
          {"port", 'p', "PORT", number(p.port, 1, 65535), "to listen on"}};
}

Parsed parse(std::vector<const char*> arguments) {
  Parsed p;
  const auto options = table(p);
  p.status = takeOptions(options, {const_cast<char* const*>(arguments.data()), arguments.size()}, p.words);
  return p;
}

}  // namespace

TEST(Options, StandAnywhereAndTakeTheirValuesInEveryForm) {
  for (const auto& form : std::vector<std::vector<const char*>>{
           {"one", "-v", "--port", "7", "--file", "f", "two"},
           {"--verbose", "one", "--port=7", "two", "--file=f"},
           {"-p7", "-v", "one", "two", "--file", "f"},
           {"-p", "7", "--file", "f", "-v", "--", "one", "two"},
       }) {
    const Parsed p = parse(form);
    EXPECT_TRUE(p.status.ok()) << p.status.message();
    EXPECT_TRUE(p.verbose);
    EXPECT_EQ(p.file, "f");
    EXPECT_EQ(p.port, 7);
    EXPECT_EQ(p.words, (std::vector<std::string>{"one", "two"}));
  }
}

TEST(Options, WordsMayLookLikeOptions) {
  EXPECT_EQ(parse({"--", "-v", "--"}).words, (std::vector<std::string>{"-v", "--"}));
  EXPECT_EQ(parse({"-"}).words, std::vector<std::string>{"-"});
  EXPECT_EQ(parse({"--file", "-v"}).file, "-v");
  EXPECT_TRUE(parse({"--file="}).status.ok());  // an empty value is one
}

TEST(Options, AMistakeIsNamed) {
  EXPECT_EQ(parse({"--nothing=1"}).status.message(), "there is no option \"--nothing\"");
  EXPECT_EQ(parse({"-x"}).status.message(), "there is no option \"-x\"");
  EXPECT_EQ(parse({"--fil", "f"}).status.message(), "there is no option \"--fil\"");
  EXPECT_EQ(parse({"one", "-p"}).status.message(), "\"-p\" lacks its value");
  EXPECT_EQ(parse({"--verbose=1"}).status.message(), "\"--verbose\" takes no value");
  EXPECT_EQ(parse({"-vp"}).status.message(), "\"-v\" takes no value");
  EXPECT_EQ(parse({"-p", "65536"}).status.message(), "--port: must be a number from 1 to 65535, not \"65536\"");
}

TEST(Options, InFrontEndWithTheFirstWord) {
  Parsed p;
  const auto options = table(p);
  const auto rest = [&](std::vector<const char*> words) {
    std::span<char* const> arguments(const_cast<char* const*>(words.data()), words.size());
    p.status = takeLeadingOptions(options, arguments);
    return std::vector<std::string>(arguments.begin(), arguments.end());
  };
  EXPECT_EQ(rest({"-p", "9", "program", "-v"}), (std::vector<std::string>{"program", "-v"}));
  EXPECT_EQ(rest({"--", "-v", "--"}), (std::vector<std::string>{"-v", "--"}));
  EXPECT_EQ(p.port, 9);
  EXPECT_FALSE(p.verbose);
  rest({"--nothing", "program"});
  EXPECT_FALSE(p.status.ok());
}

TEST(Options, HelpNamesEachInLinesThatFit) {
  Parsed p;
  auto options = table(p);
  const std::string words = "a " + std::string(94, 'y') + " " + std::string(30, 'z');
  options.push_back({"a-rather-long-name", 0, "VALUE", text(p.file), words.c_str()});
  options.push_back({"hidden", 0, nullptr, flag(p.verbose), nullptr});
  EXPECT_EQ(describe(options),
            "  -v, --verbose          say more\n"
            "      --file FILE        where it goes\n"
            "  -p, --port PORT        to listen on\n"
            "      --a-rather-long-name VALUE\n"
            "                         a\n"
            "                         " +
                std::string(94, 'y') +
                "\n"
                "                         " +
                std::string(30, 'z') + "\n");
}

}  // namespace hipr
